"""The export calls that are suggested, as text to paste: what came of each stands above it in comments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from lintorch.record.models import Model
from lintorch.record.sites import Site
from lintorch.record.suggestions import FixedSize, Suggestion
from lintorch.report.characters import join_lines, make_writable
from lintorch.report.compared_sizes import write_sizes
from lintorch.report.matrix import UNAVAILABLE, Matrix, Row, Tried
from lintorch.report.places import shown_path
from lintorch.report.trial_values import name_model
from lintorch.report.wording import write_message


def render(matrix: Matrix, out: TextIO, *, color: bool, width: int | None) -> None:
    """Write every program, one after the other; `color` and `width` change nothing of it."""
    for number, text in enumerate(_list_texts(matrix)):
        out.write(make_writable(("\n\n" if number else "") + text, out))


def write_suggestion(row: Row, each: Tried) -> str:
    """One program below what came of it: all of it Python."""
    suggestion = each.outcome.suggested
    notes = [
        f"{join_lines(name_model(row))} with {each.outcome.exporter}",
        *_write_notes(row, each),
    ]
    head = "".join(f"# {join_lines(note)}\n" for note in notes)
    return f"{head}\n{suggestion.text}" if suggestion and suggestion.text else head


def _list_texts(matrix: Matrix) -> Iterator[str]:
    for row in matrix.rows:
        if row.problem is not None and not row.tried:
            yield f"# {join_lines(name_model(row))}: {join_lines(write_message(row.problem))}\n"
        elif row.model is not None and not row.tried:
            yield f"# {join_lines(name_model(row))}: a {row.model.purpose or 'model'} is run, and not exported\n"
        for each in row.tried:
            yield write_suggestion(row, each)


def _write_notes(row: Row, each: Tried) -> Iterator[str]:
    """What came of a program: where it is right, what stays fixed and why, what it leaves out."""
    suggestion, model = each.outcome.suggested, row.model
    if suggestion is None or model is None:
        yield _explain_absence(each)
        return
    if suggestion.refused:
        line = _write_line(suggestion.site, each) if suggestion.builds else ""
        yield f"no call {'exports it' if suggestion.builds else 'is written'}: {line}{suggestion.refused}"
        return
    yield _write_verdict(suggestion, model)
    if each.script:
        yield f"written to {shown_path(each.script)}"
    for fixed in suggestion.fixed:
        yield _write_fixed(fixed, each)
    for name in suggestion.pruned:
        yield f"the file has no input {name}, which nothing in the model uses: do not feed it"


def _explain_absence(each: Tried) -> str:
    if each.status == UNAVAILABLE or each.outcome.stage == "stopped":
        return f"not tried: {each.message}"
    return "no call is written for this exporter"


def _write_verdict(suggestion: Suggestion, model: Model) -> str:
    named = suggestion.compared[0] if suggestion.compared else model.sizes
    where = write_sizes(suggestion.compared, named)  # more may have names than the model was fed by
    if suggestion.ran:
        return f"this text, run by itself, went wrong: {suggestion.ran}"
    return f"ran: ok {where}"


def _write_fixed(fixed: FixedSize, each: Tried) -> str:
    return f"{fixed.name} stays {fixed.size}: {_write_line(fixed.site, each)}{fixed.why}"


def _write_line(site: Site | None, each: Tried) -> str:
    """`net.py:12: LT101 `, with the code of the rule that speaks of the line, if one does.

    Where no line is known, that of the first finding of the trial.
    """
    if site is None and each.findings:
        finding = each.findings[0]
        return f"{shown_path(finding.place.path)}:{finding.place.row}: {finding.code} "
    if site is None:
        return ""
    places = ((f.place.path, f.place.row, f.code) for f in each.findings)
    code = next((code for path, row, code in places if (path, row) == (site.path, site.row)), "")
    return f"{shown_path(site.path)}:{site.row}: {code}{' ' * bool(code)}"
