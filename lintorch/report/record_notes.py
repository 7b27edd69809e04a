"""What is said of each model below the table: what is wrong, what was compared, what was written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from lintorch.report.characters import join_lines
from lintorch.report.compared_sizes import write_comparisons
from lintorch.report.generated_texts import write_generated
from lintorch.report.matrix import OK
from lintorch.report.record_cells import Trial, name_export
from lintorch.report.record_losses import list_losses
from lintorch.report.record_reasons import list_reasons, write_reason
from lintorch.report.styled_lines import Line, Screen

_Model = Mapping[str, Any]


def write_notes(model: _Model, trials: Sequence[Trial], screen: Screen) -> Iterator[Line]:
    """How the model was built and fed, then each thing that is wrong, at its line."""
    said, written = _list_said(model, trials), _list_files(trials)
    if not said and not written:
        return
    said += [*list_losses(trials), *_write_comparisons(model, trials), *write_generated(trials)]
    said += [*_write_untried(trials), *_write_needs(trials)]
    yield ()
    yield [
        (join_lines(model["model"]), "strong"),
        (f" on {model['fed']}" if "fed" in model else "", "dim"),
    ]
    for reason in said:
        for index, (margin, line) in enumerate(screen.wrap(reason, 4)):
            yield [("  ", "") if index == 0 else margin, line]
    for path in written:
        yield [("  wrote ", "dim"), (path, "")]


def write_quiet_models(
    models: Iterable[_Model], trials: Mapping[str, Sequence[Trial]], screen: Screen
) -> Iterator[Line]:
    """A line for each model of which nothing else is said: what its `ok` rests on."""
    told = [
        f"{join_lines(model['model'])} {text}"
        for model in models
        for own in [trials[model["model"]]]
        if not _list_said(model, own) and not _list_files(own)
        for text in (
            *_write_comparisons(model, own, OK),
            *_write_untried(own),
            *list_losses(own),
            *write_generated(own),
            *_write_needs(own),
        )
    ]
    yield from [()] if told else []
    for line in told:
        yield from screen.wrap(line, 2, "dim")


def _list_said(model: _Model, trials: Sequence[Trial]) -> list[str]:
    return [write_reason(reason) for reason in list_reasons(model, trials)]


def _list_files(trials: Sequence[Trial]) -> list[str]:
    files = (path for each in trials for path in (each["artifact"], each["repro"]) if path)
    return list(dict.fromkeys(files))


def _write_comparisons(
    model: _Model, trials: Sequence[Trial], verb: str = "compared"
) -> Iterator[str]:
    if "sizes" in model:
        compared = [(name_export(each), each["compared"], each.get("draws", 1)) for each in trials]
        yield from write_comparisons(compared, model["sizes"], verb)


def _write_untried(trials: Sequence[Trial]) -> list[str]:
    """`not at sequence 2100, where net.py:12 may do something else: …`, each once."""
    told = (
        (untried, name_export(each) if untried["location"] is None else "")
        for each in trials
        for untried in each["untried"]
    )
    return list(dict.fromkeys(_write_left_out(untried, export) for untried, export in told))


def _write_left_out(untried: Mapping[str, Any], export: str) -> str:
    at = ", ".join(f"{name} {size}" for name, size in untried["sizes"].items())
    if untried["location"] is None:
        return f"{export}: not at {at}, where a size inside is one: {untried['why']}"
    place = f"{untried['location']['filename']}:{untried['location']['row']}"
    return f"not at {at}, where {place} may do something else: {untried['why']}"


def _write_needs(trials: Sequence[Trial]) -> list[str]:
    """The opset and the runtimes that take what was written, once for each exporter."""
    return list(dict.fromkeys(each["needs"]["told"] for each in trials if each["needs"]))
