"""The files of a run, and what was given that is none of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lintorch.files import Found, Missing, Skipped, find_files, why_unread
from lintorch.run.request import Order
from lintorch.run.scope import Scope


@dataclass(frozen=True)
class Files:
    """Paths to look at; `errors` and `notes` say what of the rest could not, or will not, be."""

    paths: Sequence[str]
    errors: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    notebooks: int = 0
    """How many lie in the folders given."""


def list_files(asked: Order, scope: Scope) -> Files:
    """The files to look at. Raises SettingsError."""
    if asked.text is not None:
        cause = why_unread(asked.paths[0]) if asked.paths[0].endswith(".ipynb") else ""
        return Files(() if cause else asked.paths, notes=_notes(asked.paths[0], cause))
    found = list(find_files(asked.paths, scope.main.excluded, scope.main.root, asked.force_exclude))
    skipped = [each for each in found if isinstance(each, Skipped)]
    return Files(
        [each.path for each in found if isinstance(each, Found)],
        tuple(f"{each.path}: {each.cause}" for each in found if isinstance(each, Missing)),
        tuple(note for each in skipped if each.given for note in _notes(each.path, each.cause)),
        sum(not each.given for each in skipped),
    )


def _notes(path: str, cause: str) -> tuple[str, ...]:
    return (f"{path}: not checked: {cause}",) if cause else ()
