"""What is said of each model below the matrix: all that is wrong, at its line, and what was written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lintorch.core.finding import Finding
from lintorch.record.input_notation import describe_inputs
from lintorch.record.sites import Site
from lintorch.report.characters import join_lines
from lintorch.report.compared_sizes import write_comparisons
from lintorch.report.matrix import LOSSY, OK, Row, Tried
from lintorch.report.matrix_losses import list_losses, write_loss
from lintorch.report.opset_lines import write_graph_forecast
from lintorch.report.places import shown_path
from lintorch.report.styled_lines import Line, Screen
from lintorch.report.wording import write_message


def write_reasons(row: Row, screen: Screen) -> Iterator[Line]:
    """How the model was built and fed, then each thing that is wrong, at its line."""
    said, written = list_reasons(row), _list_files(row)
    if not said and not written:
        return
    said += [*list_losses(row), *_write_comparisons(row), *_write_needs(row)]
    yield ()
    yield [
        (name_row(row), "strong"),
        (f" on {describe_inputs(row.model.inputs, row.model.sizes)}" if row.model else "", "dim"),
    ]
    for reason in said:
        for index, (margin, line) in enumerate(screen.wrap(reason, 4)):
            yield [("  ", "") if index == 0 else margin, line]
    for path in written:
        yield [("  wrote ", "dim"), (shown_path(path), "")]


def write_right_rows(rows: Iterable[Row], screen: Screen) -> Iterator[Line]:
    """A line for each model of which nothing else is said: what its `ok` rests on."""
    quiet = [row for row in rows if not list_reasons(row) and not _list_files(row)]
    told = [
        f"{name_row(row)} {text}"
        for row in quiet
        for text in (*_write_comparisons(row, OK), *list_losses(row), *_write_needs(row))
    ]
    yield from [()] if told else []
    for line in told:
        yield from screen.wrap(line, 2, "dim")


def list_reasons(row: Row) -> list[str]:
    """Each thing that is wrong with a model, at its line; how it is built and fed is not among it."""
    said = list(dict.fromkeys(reason for each in row.tried for reason in _write_reason(each)))
    if row.problem is not None:
        said = [_write_finding(row.problem), *said]
    if row.model is not None and row.failure is None and not row.tried:
        said.append(f"a {row.model.purpose or 'model'} is run, and not exported")
    return said


def _list_files(row: Row) -> list[str]:
    files = (path for each in row.tried for path in (each.artifact, each.script) if path)
    return list(dict.fromkeys(files))


def _write_comparisons(row: Row, verb: str = "compared") -> list[str]:
    tried = (each.outcome for each in row.tried)
    return [] if row.model is None else [*write_comparisons(tried, row.model, verb)]


def _write_needs(row: Row) -> list[str]:
    """The opset and the runtimes that take what was written, once for each exporter."""
    found = (each.needs for each in row.tried if each.needs is not None)
    return list(dict.fromkeys(map(write_graph_forecast, found)))


def _write_reason(each: Tried) -> Iterator[str]:
    outcome, told = each.outcome, each.told_as
    for finding in each.findings:
        yield (f"{outcome.precision}: " if outcome.precision else "") + _write_finding(finding)
    if outcome.stage == "eager":
        yield join_lines(f"{outcome.precision}: {_write_site(outcome.site)}{each.message}")
    elif each.status == LOSSY and outcome.loss is not None:
        yield f"{told}: {write_loss(outcome.loss)}"
    elif not each.findings and (each.status != OK or outcome.status == "random"):
        yield join_lines(f"{told}: {each.message or each.status}")
    said = " ".join(write_message(finding) for finding in each.findings)
    if outcome.part and outcome.part not in said:
        goes = "is wrong" if outcome.status == "wrong" else "fails"
        yield f"{told}: the smallest part that {goes} alone is {outcome.part}"
    if outcome.enough and f"opset {outcome.enough}" not in said:
        yield f"{told}: opset {outcome.enough} has a translation for all of these"
    for name in outcome.pruned:
        yield f"{told}: the file has no input {name}, which nothing in the model uses"
    if outcome.unwritten:
        yield f"{told}: no program shows this: {outcome.unwritten}"


def _write_site(site: Site | None) -> str:
    return f"{shown_path(site.path)}:{site.row}: " if site else ""


def _write_finding(finding: Finding) -> str:
    place = finding.place
    where = f"{shown_path(place.path)}{f':cell {place.cell}' if place.cell else ''}:{place.row}"
    return join_lines(f"{where}: {finding.code} {write_message(finding)}")


def name_row(row: Row) -> str:
    """`net.py:Net`, or the file alone."""
    return join_lines(
        f"{shown_path(row.path)}:{row.qualname}" if row.qualname else shown_path(row.path)
    )
