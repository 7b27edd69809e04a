"""Which files are the user's, on both sides of the worker's wall. Imports no torch."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from lintorch.models.load import package_root
from lintorch.trace.site import Files


def files_of(checked: Mapping[str, str], project: str) -> Files:
    """The user's files: `checked` maps the real path of each checked file to the path as given."""
    return Files(checked, {project, *(str(_package(Path(path))) for path in checked)})


def _package(path: Path) -> Path:
    """The outermost package that holds a file; a file outside of packages holds only itself."""
    root = package_root(path)
    return root / path.relative_to(root).parts[0]
