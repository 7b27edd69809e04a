"""The order of work of one check."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lintorch.files import NotWritten, write
from lintorch.report.result import Result
from lintorch.run.look import Seen, look
from lintorch.run.order import Checked, Order, Progress, Rewritten, silent
from lintorch.run.scope import Scope

if TYPE_CHECKING:
    from lintorch.run.mending import Mended

__all__ = ["Checked", "Order", "Progress", "Rewritten", "check", "silent"]


def check(asked: Order, progress: Progress = silent) -> Checked:
    """Look, fix where asked, and look again at what fixing left.

    Raises SettingsError or CatalogError where nothing can be done at all; paths, files and
    models that are wrong are told of in the outcome.
    """
    scope = Scope(asked)
    scope.codes(asked.paths[0])  # what selects no rule is told even where there is no file
    seen = look(asked, scope, progress)
    if not asked.fixes:
        return Checked(_result(seen, asked), seen.errors, notes=seen.notes)
    from lintorch.run.mending import mend

    mended = mend(seen, scope, asked)
    errors = (*seen.errors, *mended.errors)
    if asked.diff or not mended.rewritten:
        return Checked(_result(seen, asked), errors, mended.rewritten, seen.notes)
    kept = _written(mended, seen) if asked.text is None else ()
    left = look(_as_mended(asked, mended), scope, progress)
    result = replace(_result(left, asked), fixed=0 if kept else mended.fixed)
    return Checked(result, (*errors, *kept), mended.rewritten, seen.notes)


def _written(mended: Mended, seen: Seen) -> tuple[str, ...]:
    """Write the files; what could not be written, one line each."""
    errors = []
    for file in mended.rewritten:
        try:
            write(seen.texts[file.path], file.after)
        except NotWritten as error:
            errors.append(str(error))
    return tuple(errors)


def _as_mended(asked: Order, mended: Mended) -> Order:
    return asked if asked.text is None else replace(asked, text=mended.rewritten[0].after)


def _result(seen: Seen, asked: Order) -> Result:
    return Result(
        findings=seen.standing,
        withdrawn=seen.withdrawn,
        texts={path: text.text for path, text in seen.texts.items()},
        show_refuted=asked.show_refuted,
        files=seen.files,
        notebooks=seen.notebooks,
        whole=not seen.errors,
        models=seen.models,
    )
