"""What `lintorch compare` prints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from lintorch.cli.terminal import choose_style
from lintorch.record.file_comparisons import Cause, Distance, FileComparison, FileRun, LayerNumbers
from lintorch.record.sites import Site
from lintorch.report.places import shown_path
from lintorch.report.styled_lines import Line, Screen
from lintorch.report.wording import write_message
from lintorch.run.compare_onnx import ComparedFile


def write_compared_file(compared: ComparedFile, out: TextIO) -> None:
    """The verdict, the causes, where the numbers part, and what was run."""
    style = choose_style(out)
    screen = Screen.of(out, style.color, style.width)
    found = compared.found
    screen.write(_list_head(compared))
    screen.write(_list_causes(found))
    screen.write(_list_layers(found))
    screen.write(_list_rules(compared))
    screen.write(_list_runs(found))


def _list_head(compared: ComparedFile) -> Iterator[Line]:
    found, model = compared.found, compared.model
    name = f"{shown_path(model.path)}:{model.qualname}"
    if found.agrees:
        yield ("same ", "good"), (f"{compared.file} computes what {name} computes", "")
    else:
        yield ("different ", "error"), (f"{compared.file} computes something else than {name}", "")
    about = ", ".join(filter(None, (f"opset {found.opset}", found.producer, found.runtime)))
    yield ((f"  {about}", "dim"),)
    yield ((f"  weights: {found.weights}", "dim"),)
    for argument in model.made_up:
        value = model.arguments.get(argument, "…")
        yield ((f"  the model was built with {argument} = {value}, which nobody gave", "dim"),)


def _list_causes(found: FileComparison) -> Iterator[Line]:
    wrong = [cause for cause in found.causes if cause.wrong]
    if not found.agrees:
        yield ()
    for cause in wrong:
        yield from _list_cause(cause, "cause", "error")
    if not found.agrees and not wrong:
        yield (("no known cause could be shown by a run", "warning"),)
    facts = [cause for cause in found.causes if not cause.wrong]
    if facts:
        yield ()
    for cause in facts:
        yield from _list_cause(cause, "note", "note")


def _list_cause(cause: Cause, word: str, style: str) -> Iterator[Line]:
    yield (f"{word} ", style), (cause.text, ""), (f" [{cause.kind}]", "dim")
    if cause.proof:
        yield ((f"  shown: {cause.proof}", ""),)
    if cause.site:
        yield ((f"  at {_place(cause.site)}", ""),)
    if cause.remedy:
        yield ((f"  write: {cause.remedy}", ""),)


def _list_layers(found: FileComparison) -> Iterator[Line]:
    if found.first is None and found.last is None:
        return
    yield ()
    if found.last is not None:
        yield from _list_layer("last layer that agrees", found.last)
    if found.first is not None:
        yield from _list_layer("first that does not", found.first)
    else:
        yield (("  all layers agree: the numbers part behind the last one", ""),)
    if found.between is not None:
        yield ((f"  they part at {_place(found.between)}", "strong"),)


def _list_layer(words: str, layer: LayerNumbers) -> Iterator[Line]:
    call = f", call {layer.call}" if layer.call > 1 else ""
    yield (f"{words}: ", ""), (layer.name, "strong"), (f" ({layer.kind}{call})", "")
    yield ((f"  {layer.operator} {layer.value}: {write_distance(layer.distance)}", "dim"),)
    for word, site in (("called at", layer.called), ("built at", layer.built)):
        if site is not None:
            yield ((f"  {word} {_place(site)}", ""),)


def _list_rules(compared: ComparedFile) -> Iterator[Line]:
    if compared.rules:
        yield ()
    for finding in compared.rules:
        place = f"{shown_path(finding.place.path)}:{finding.place.row}"
        yield (f"{place} ", ""), (finding.code, "warning"), (f" {write_message(finding)}", "")


def _list_runs(found: FileComparison) -> Iterator[Line]:
    yield ()
    for run in found.runs:
        sizes = ", ".join(f"{name}={size}" for name, size in run.sizes.items())
        style, word = ("good", "agrees") if run.agrees else ("error", "differs")
        yield (f"  {word} ", style), (f"{_at(sizes, run)}{write_distance(run.distance)}", "")


def _at(sizes: str, run: FileRun) -> str:
    return f"at {sizes}: " if sizes else ""


def write_distance(distance: Distance) -> str:
    """`off by 0.0012 (relative 0.0003, cosine 0.999999)`."""
    if distance.amount is None:
        return distance.why or "nothing to compare"
    parts = []
    if distance.relative is not None:
        parts.append(f"relative {distance.relative:.2g}")
    if distance.cosine is not None:
        parts.append(f"cosine {distance.cosine:.6f}")
    return f"off by {distance.amount:.3g}" + (f" ({', '.join(parts)})" if parts else "")


def _place(site: Site) -> str:
    inside = f" in {site.function}" if site.function else ""
    return f"{shown_path(site.path)}:{site.row}{inside}"
