"""The README as a package index shows it, where links to files of the repository would lead nowhere.

hatchling calls this when it builds: `[tool.hatch.metadata.hooks.custom]` names it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class ReadmeHook(MetadataHookInterface):
    """Sets `readme`."""

    def update(self, metadata: dict[str, Any]) -> None:
        """With addresses in the repository in place of relative links."""
        home = metadata["urls"]["Homepage"]
        text = Path(self.root, "README.md").read_text("utf-8")
        text = re.sub(r"(!\[[^\]]*\]\()(?!\w+:|#)", rf"\1{home}/raw/main/", text)
        text = re.sub(r"((?<!!)\[[^\]]*\]\()(?!\w+:|#)", rf"\1{home}/blob/main/", text)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
