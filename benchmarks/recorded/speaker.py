"""A checkout of lintorch that is asked by its command line, in surroundings that are always the same."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from recorded.masks import mask_paths, mask_seconds

_DROPPED = ("VIRTUAL_ENV", "CONDA_PREFIX", "FORCE_COLOR", "LINTORCH_RULES", "PYTHONSAFEPATH")
_USERS = ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "APPDATA", "LOCALAPPDATA")
_FIXED = {"COLUMNS": "100", "NO_COLOR": "1", "PYTHONDONTWRITEBYTECODE": "", "PYTHONHASHSEED": "0"}


@dataclass(frozen=True)
class Answer:
    """What one command printed, with the paths of this recording masked, and its exit code."""

    code: int
    out: str
    err: str


class Speaker:
    """Runs the command line of a checkout; a context manager, for its temporary folder."""

    def __init__(self, checkout: Path, python: Path) -> None:
        self.checkout = checkout
        self.python = python

    def __enter__(self) -> Speaker:
        self._folder = tempfile.TemporaryDirectory(prefix="lintorch-unchanged-")
        self.workspace = Path(self._folder.name, "inputs")
        for each in ("inputs", "home", "temporary"):
            Path(self._folder.name, each).mkdir()
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    def ask(self, arguments: Sequence[str], folder: Path) -> Answer:
        """What lintorch answers in a folder."""
        command = [str(self.python), "-m", "lintorch", *arguments]
        done = subprocess.run(command, cwd=folder, env=self._environment(), capture_output=True)
        return Answer(done.returncode, self._masked(done.stdout), self._masked(done.stderr))

    def _masked(self, printed: bytes) -> str:
        text = printed.decode("utf-8", "backslashreplace")
        return mask_seconds(mask_paths(text, self._places()))

    def _environment(self) -> dict[str, str]:
        base = {name: value for name, value in os.environ.items() if name not in _DROPPED}
        home = str(Path(self._folder.name, "home"))
        place = {
            "PYTHONPATH": str(self.checkout),
            "PYTHONPYCACHEPREFIX": str(Path(self._folder.name, "compiled")),
            "TMPDIR": str(Path(self._folder.name, "temporary")),
        }
        return {**base, **_FIXED, **place, **dict.fromkeys(_USERS, home)}

    def _places(self) -> dict[str, str]:
        """What the paths of this recording are written as, the inner ones first."""
        return {
            str(self.workspace): "<inputs>",
            self._folder.name: "<recording>",
            str(self.checkout): "<checkout>",
        }
