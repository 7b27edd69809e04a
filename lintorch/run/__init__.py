"""The order of work of one check."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lintorch.files import NotWritten, write
from lintorch.report.result import Repaired, Result
from lintorch.run.check_files import Seen, look
from lintorch.run.request import Checked, Order, Progress, Rewritten, silent
from lintorch.run.scope import Scope

if TYPE_CHECKING:
    from lintorch.run.fix_files import Mended

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
        return Checked(_result(seen, asked), (*seen.errors, *seen.left_out), notes=seen.notes)
    from lintorch.run.fix_files import mend

    mended = mend(seen, scope, asked)
    errors = (*seen.errors, *mended.errors)
    if asked.diff or not mended.rewritten:
        return Checked(
            _result(seen, asked), (*errors, *seen.left_out), mended.rewritten, seen.notes
        )
    repaired, kept = _written(mended, seen, asked)
    left = look(_as_mended(asked, mended), scope, progress)
    result = replace(_result(left, asked), repaired=repaired)
    told = dict.fromkeys((*errors, *kept, *left.errors, *left.left_out))
    return Checked(result, tuple(told), mended.rewritten, seen.notes)


def _written(
    mended: Mended, seen: Seen, asked: Order
) -> tuple[tuple[Repaired, ...], tuple[str, ...]]:
    """Write the files: what was mended in those written, and a line for each that could not be."""
    repaired: list[Repaired] = []
    errors: list[str] = []
    for file in mended.rewritten:
        try:
            if asked.text is None:
                write(seen.texts[file.path], file.after)
            repaired.append(file.repaired)
        except NotWritten as error:
            errors.append(str(error))
    return tuple(repaired), tuple(errors)


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
        unsafe=asked.unsafe,
    )
