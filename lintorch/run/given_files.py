"""The files of a run, and what was given that is none of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lintorch.files import Found, Missing, Skipped, find_files, is_notebook
from lintorch.run.request import Request
from lintorch.run.scope import Scope

_FROM_STDIN = "a notebook is read from a file, not from standard input"


@dataclass(frozen=True)
class GivenFiles:
    """Paths to look at; `errors` and `notes` say what of the rest could not, or will not, be."""

    paths: Sequence[str]
    errors: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    notebooks: int = 0
    """How many lie in the folders given."""


def list_files(request: Request, scope: Scope, notebooks: bool = True) -> GivenFiles:
    """The files to look at, `notebooks` among them where these are read. Raises SettingsError."""
    if request.text is not None:
        cause = _FROM_STDIN if is_notebook(request.paths[0]) else ""
        return GivenFiles(
            () if cause else request.paths, notes=_note_unchecked(request.paths[0], cause)
        )
    found = list(
        find_files(
            request.paths,
            scope.main.exclude_patterns,
            scope.main.root,
            request.force_exclude,
            notebooks,
        )
    )
    skipped = [each for each in found if isinstance(each, Skipped)]
    return GivenFiles(
        [each.path for each in found if isinstance(each, Found)],
        tuple(f"{each.path}: {each.cause}" for each in found if isinstance(each, Missing)),
        tuple(
            note
            for each in skipped
            if each.given
            for note in _note_unchecked(each.path, each.cause)
        ),
        sum(not each.given for each in skipped),
    )


def _note_unchecked(path: str, cause: str) -> tuple[str, ...]:
    return (f"{path}: not checked: {cause}",) if cause else ()
