"""LT135: a crop that leaves nothing out at some sizes, and something at others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix, Harm, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Indexed
from lintorch.evaluator.size_numbers import compute_size
from lintorch.evaluator.sizes import Dim, Operation, Size, compare, list_symbols, varies
from lintorch.evaluator.values import NONE, Constant, Items, Number, Slice, Tensor, Unknown, Value
from lintorch.evidence import OperatorCall, Outcome, SizeUse, Trace, Trial, Variation
from lintorch.evidence.size_changes import blame_event, find_changes
from lintorch.evidence.treatment import report_limits
from lintorch.facts.models.size_forms import write_side
from lintorch.source import Source
from lintorch.syntax.plain_reads import is_read

HOLDS = "a negative width, which holds at every size"

rule = Rule(
    __name__,
    code="LT135",
    summary="a crop that leaves nothing out at some sizes",
    why="""
        An image is padded to a multiple of 8, and what comes out is cropped: at some sizes there
        is nothing to crop. `torch.export` decides with the example whether a slice of an inner
        axis is the whole, keeps that as a guard, and its program raises AssertionError at sizes
        of the other kind: exported at 64, it takes multiples of 8 only; exported at 60, all but
        these. The same where a decoder's map is cropped to that of an odd encoder. The ONNX
        exporters and jit.trace keep the slice as it is. Measured on torch 2.13.

        A negative width for `F.pad` crops as well, and asks nothing: right under all of them.
        Where an axis may be shorter than the crop (`x[:, :, :400]`), an export binds it to the side
        of 400 that the example was on; a trial far from the example tells, and the fix pads by
        nothing there.
        Padding by one more, so that something is left to crop at any size, helps too.
    """,
    bad="""
        import torch.nn.functional as F
        from torch import nn


        class Blur(nn.Module):
            def forward(self, x):
                height = x.shape[2]
                padded = F.pad(x, (0, 0, 0, -height % 8))
                blurred = F.interpolate(F.avg_pool2d(padded, 8), scale_factor=8.0)
                return blurred[:, :, :height]
    """,
    good="""
        import torch.nn.functional as F
        from torch import nn


        class Blur(nn.Module):
            def forward(self, x):
                height = x.shape[2]
                padded = F.pad(x, (0, 0, 0, -height % 8))
                blurred = F.interpolate(F.avg_pool2d(padded, 8), scale_factor=8.0)
                return F.pad(blurred, (0, 0, 0, height - blurred.shape[2]))
    """,
    remedy=f"crop with F.pad(x, (0, n - x.shape[-1])), {HOLDS}",
    proof="""
        import torch

        auto = torch.export.Dim.AUTO
        program = torch.export.export(
            Blur(), (torch.ones(2, 3, 64, 64),), dynamic_shapes=({0: auto, 2: auto},)
        ).module()
        image = torch.rand(2, 3, 60, 64)
        assert torch.equal(program(image), Blur()(image))
    """,
    fix=Applicability.UNSAFE,
)

HARM = {"torch.export": Harm.FAILS}
CROPS = ("torch.Tensor.__getitem__", "torch.Tensor.narrow", "torch.narrow")
NARROWS = CROPS[1:]
ROUNDED = (SizeUse.INT, SizeUse.FLOAT, SizeUse.CEIL, SizeUse.ROUND)
TRIED = range(17, 97)
"""Sizes at which it is looked whether anything is shorter than its crop."""
LARGE = range(129, 225)
"""Those at which it is looked whether anything is left out: images of more than one patch."""


@rule.event(Indexed)
def in_slice(event: Indexed, source: Source) -> Iterator[Hit]:
    if is_sliced(event.index):
        yield from judge_crop(event, event.held, event.result, source)


@rule.event(*NARROWS)
def in_narrow(event: Called, source: Source) -> Iterator[Hit]:
    yield from judge_crop(event, event.positional[0], event.result, source)


def judge_crop(
    event: Indexed | Called, held: Value, result: Value, source: Source
) -> Iterator[Hit]:
    if not source.profile.dynamic or not event.way.forward:
        return
    before = held.shape if isinstance(held, Tensor) else None
    after = result.shape if isinstance(result, Tensor) else None
    if before is None or after is None or len(before) != len(after):
        return
    if any(may_leave_out(*sides) for sides in zip(before[1:], after[1:], strict=True)):
        said = describe(source.evaluation.text(event.spot))
        fix = pad_by_less(event, before, after, source) if isinstance(event, Indexed) else None
        yield Hit(event, said, fix=fix, harm=HARM, remedy=tell_pad(before, after))


def tell_pad(before: tuple[Dim, ...], after: tuple[Dim, ...]) -> str:
    """The pad that crops the same axes: of the last one first, as F.pad counts them."""
    cut = [axis for axis in range(1, len(before)) if may_leave_out(before[axis], after[axis])]
    names = ["n"] if len(cut) == 1 else [f"n{axis}" for axis in cut]
    widths = dict(zip(cut, names, strict=True))
    pairs = (
        f"0, {widths[axis]} - x.shape[{axis}]" if axis in widths else "0, 0"
        for axis in range(len(before) - 1, cut[0] - 1, -1)
    )
    return f"crop with F.pad(x, ({', '.join(pairs)})), {HOLDS}"


@rule.event(Indexed)
def in_open_slice(event: Indexed, source: Source) -> Iterator[Hit]:
    """`x[:, :, :400]`, of which a trial far from the example tells whether an export binds the size to it.

    Of what nothing is known the trial tells that it is a tensor.
    """
    if not source.profile.dynamic or not event.way.forward or not source.profile.concerns(HARM):
        return
    several = isinstance(event.held, Unknown) and isinstance(event.index, Items)  # no list takes it
    sliced = is_sliced(event.index) and (several or isinstance(event.held, Tensor))
    if sliced and (fix := pad_at_most(event, source) or select_at_most(event, source)):
        yield Hit(event, "a crop that may leave nothing out", fix=fix, confirms=True)


def pad_at_most(event: Indexed, source: Source) -> Fix | None:
    """`F.pad(x, (0, n))` for `x[..., :w]`, where n is `min(w - x.shape[3], 0)`, written as arithmetic."""
    shapes = [
        each.shape if isinstance(each, Tensor) else None for each in (event.held, event.result)
    ]
    before, after = shapes
    if before is None or after is None or len(before) != len(after) or not is_counted(event):
        return None
    return pad_by_less(event, before, after, source, shorter=True)


def select_at_most(event: Indexed, source: Source) -> Fix | None:
    """`x.index_select(2, torch.arange(n))` for `x[:, :, :w]`, where n is `min(w, x.shape[2])`, written as arithmetic."""
    node = source.node_at(event, cst.Subscript)
    if node is None or is_written_to(node, source) or not is_counted(event):
        return None
    stops, first = read_stops(node)
    cropped = [axis for axis, stop in enumerate(stops) if stop is None or stop != ""]
    if len(cropped) != 1 or isinstance(stop := stops[cropped[0]], str) or stop is None:
        return None
    axis = cropped[0] + first
    arange, edits = source.reach("torch.arange", node)
    held, above = hold(node, source)
    if not arange or not held:
        return None
    plain = isinstance(stop, cst.Integer) or is_read(stop)
    text = source.code(stop) if plain else f"({source.code(stop)})"
    size = f"{held}.shape[{axis}]"
    count = write_side(size, text, larger=False)
    text = f"{held}.index_select({axis}, {arange}({count}, device={held}.device))"
    return Fix(
        "take no more rows than there are",
        (*above, source.replace(node, text), *edits),
        Applicability.UNSAFE,
    )


def hold(node: cst.Subscript, source: Source) -> tuple[str, tuple[Edit, ...]]:
    """A name for what is cropped, and the line that gives it one; "" where that cannot stand above."""
    if isinstance(node.value, cst.Name):
        return node.value.value, ()
    outer = source.parent(node)
    if not isinstance(outer, (cst.Return, cst.Assign)) or source.names.is_taken("whole", node):
        return "", ()
    return "whole", (source.above(node, f"whole = {source.code(node.value)}"),)


def is_counted(event: Indexed) -> bool:
    """Whether no crop counts from the end."""
    index = event.index
    parts = index.items if isinstance(index, Items) and index.items is not None else (index,)
    stops = [part.stop for part in parts if isinstance(part, Slice)]
    return all(is_forward(stop) for stop in stops)


def is_forward(stop: Value) -> bool:
    if isinstance(stop, Number):
        return stop.size is not None and compare(stop.size, ">=", 0) is True
    return stop == NONE or (
        isinstance(stop, Constant) and type(stop.value) is int and stop.value >= 0
    )


def pad_by_less(
    event: Indexed,
    before: tuple[Dim, ...],
    after: tuple[Dim, ...],
    source: Source,
    shorter: bool = False,
) -> Fix | None:
    """`F.pad(x, (0, w - x.shape[3]))` for `x[..., :w]`, where the axes are never shorter than that.

    `shorter`: where they may be, too.
    """
    node = source.node_at(event, cst.Subscript)
    if node is None or is_written_to(node, source):
        return None
    stops, begin = read_stops(node)
    if any(stop is None for stop in stops) or len(stops) > len(before) or not any(stops):
        return None
    presumed = not isinstance(event.held, Tensor) or event.held.guessed
    if presumed and not begin:  # a pad counts axes from the last
        return None
    if not shorter and any(is_longer(*sides) for sides in zip(before, after, strict=True)):
        return None
    pad, edits = source.reach("torch.nn.functional.pad", node)
    name, above = hold(node, source)
    if not pad or not name:
        return None
    widths = ["0, 0"] * (0 if begin else len(before) - len(stops))
    for axis in range(len(stops) - 1, next(n for n, stop in enumerate(stops) if stop) - 1, -1):
        stop = stops[axis]
        text = source.code(stop) if isinstance(stop, cst.CSTNode) else ""
        plain = isinstance(stop, cst.Integer) or (isinstance(stop, cst.CSTNode) and is_read(stop))
        text = text if plain or not text else f"({text})"
        less = f"{text} - {name}.shape[{axis + begin}]"
        less = write_side(f"({less})", "", larger=False) if shorter else less
        widths.append(f"0, {less}" if text else "0, 0")
    text = f"{pad}({name}, ({', '.join(widths)}))"
    return Fix(
        "crop by a negative pad",
        (*above, source.replace(node, text), *edits),
        Applicability.UNSAFE,
    )


def is_written_to(node: cst.Subscript, source: Source) -> bool:
    """Whether what is cropped is given other values: assigned, or by a method in place."""
    outer = source.parent(node)
    if isinstance(outer, cst.Attribute):
        asked = isinstance(source.parent(outer), cst.Call)
        return not asked or outer.attr.value.endswith("_")
    return isinstance(outer, (cst.AssignTarget, cst.AugAssign, cst.Del))


def read_stops(node: cst.Subscript) -> tuple[list[cst.BaseExpression | str | None], int]:
    """Where the crop of each axis ends, and the number of the first axis, from the end behind `...`."""
    parts = list(node.slice)
    first = parts[0].slice if parts else None
    whole = isinstance(first, cst.Index) and isinstance(first.value, cst.Ellipsis)
    stops = [read_stop(each) for each in (parts[1:] if whole else parts)]
    return stops, -len(stops) if whole else 0


def read_stop(element: cst.SubscriptElement) -> cst.BaseExpression | str | None:
    """`n` of `:n`, "" of `:`; None of others."""
    part = element.slice
    if not isinstance(part, cst.Slice) or part.lower is not None or part.step is not None:
        return None
    return part.upper if part.upper is not None else ""


def is_longer(before: Dim, after: Dim) -> bool:
    """Whether an axis may be shorter than the crop asks for, at any of the sizes that are looked at."""
    left_out = before - after
    if isinstance(left_out, int):
        return left_out < 0
    names = [symbol.name for symbol in list_symbols(left_out)]
    sizes = (compute_size(left_out, dict.fromkeys(names, size)) for size in TRIED)
    return any(size is None or size < 0 for size in sizes)


@rule.trace(*CROPS)
def in_trace(event: OperatorCall, trace: Trace) -> Iterator[Hit]:
    if find_changes(event, trace, is_whole):
        message = "the crop leaves nothing out at some of the sizes tried"
        yield Hit(event, message, severity=Severity.NOTE, confirms=True)


@rule.trial("wrong")
def in_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    for event in trial.trace.find_events(*CROPS):
        explains = find_changes(event, trial.trace, is_whole)
        hit = blame_event(outcome, event, trial, HARM, explains)
        if hit and guards_crop(outcome.wrong_at, explains):
            yield hit


@rule.trial("wrong", "ok")
def in_limited_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    """What the export takes for given because a crop asked whether it leaves anything out."""
    rounded = outcome.status == "wrong" and any(trial.trace.find_events(*ROUNDED))
    if outcome.exporter in HARM and not rounded:  # else the crop is by a number that is told itself
        crops = (each for each in trial.trace.find_events(*CROPS) if keeps_axes(each))
        yield from report_limits(outcome, (each.site for each in crops))


def guards_crop(wrong: Mapping[Variation, object], explains: Mapping[Variation, object]) -> bool:
    """Whether the export is wrong at no other sizes than those of the other kind."""
    return set(wrong) <= set(explains)


def is_sliced(index: Value) -> bool:
    """`[:, :n]`, `[..., :n]`: nothing but slices."""
    parts = index.items if isinstance(index, Items) and index.items is not None else (index,)
    whole = Constant(Ellipsis)
    return all(isinstance(part, Slice) or part == whole for part in parts)


def may_leave_out(before: Dim, after: Dim) -> bool:
    """Whether an axis is the same after a crop at some sizes, because of what was rounded, and not at others."""
    left_out = before - after
    if not isinstance(left_out, Size) or varies(left_out) is False:
        return False
    kinds = {atom.kind for atom in left_out.atoms if isinstance(atom, Operation)}
    if not kinds & {"//", "%"}:
        return False
    names = [symbol.name for symbol in list_symbols(left_out)]
    found = {compute_size(left_out, dict.fromkeys(names, size)) for size in LARGE}
    return None not in found and 0 in found and len(found) > 1


def keeps_axes(event: OperatorCall) -> bool:
    """Not `x[:, :, None]`, nor `x[0]`."""
    ranks = [len(shape) for shape in (*event.inputs[:1], *event.outputs[:1])]
    return len(ranks) == 2 and ranks[0] == ranks[1]


def is_whole(event: OperatorCall) -> bool:
    """Whether nothing is left out of an inner axis."""
    return event.inputs[:1] == event.outputs[:1] if event.inputs else False


def describe(text: str) -> str:
    return f"`{text}` leaves nothing out at some sizes, and something at others"
