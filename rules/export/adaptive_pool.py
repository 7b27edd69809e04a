"""LT116: an adaptive pool to more than one cell, whose window an exporter bakes or cannot work out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from lintorch.finding import Harm, Hit, Refuted, Severity
from lintorch.rule import Rule
from lintorch.source import UNKNOWN, Source
from lintorch.subjects import Trace, Trial
from lintorch.trace.record import Event, Outcome, Site

rule = Rule(
    __name__,
    code="LT116",
    summary="an adaptive pool to more than one cell",
    why="""
        An adaptive pool works out its window from the size of its input. ONNX has no such
        operator, so an exporter writes a fixed window. With fixed height and width that is
        right where the output divides the input. Where height or width may vary, the new ONNX
        exporter keeps the window of the example input and gives an output of another size,
        without a word; the legacy exporter refuses. To one cell (1 or (1, 1)) every exporter
        is right at every size. Measured on torch 2.13.

        The often-copied replacement AvgPool2d(kernel=in-(out-1)*stride, stride=in//out) gives
        the same numbers only where `in % out` is 0 or 1.
    """,
    bad="""
        from torch import nn


        class Head(nn.Module):
            def __init__(self):
                super().__init__()
                self.pool = nn.AdaptiveAvgPool2d(7)

            def forward(self, x):
                return self.pool(x).flatten(1)
    """,
    good="""
        from torch import nn


        class Head(nn.Module):
            def __init__(self):
                super().__init__()
                self.pool = nn.AdaptiveAvgPool2d(1)

            def forward(self, x):
                return self.pool(x).flatten(1)
    """,
)

POOLS = {f"{kind}_pool{n}d" for kind in ("adaptive_avg", "adaptive_max") for n in (1, 2, 3)}
FUNCTIONS = {f"torch.nn.functional.{name}" for name in POOLS}
LAYERS = {f"torch.nn.Adaptive{kind}Pool{n}d" for kind in ("Avg", "Max") for n in (1, 2, 3)}
VARYING = {"onnx": Harm.SILENT, "onnx-legacy": Harm.REFUSED}
FIXED = {"onnx-legacy": Harm.REFUSED}


@rule.source(cst.Call, needs=("daptive",))
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    name = source.name(call.func)
    if name in LAYERS:
        size = source.arguments(call, "output_size").value("output_size")
    elif name in FUNCTIONS and source.in_forward(call):
        size = source.arguments(call, "input", "output_size").value("output_size")
    else:
        return
    if cells(size) and source.profile.dynamic:
        message = f"{name.rpartition('.')[2]} to {shown(size)}, where height or width may vary"
        yield Hit(call, message, harm=VARYING, severity=Severity.WARNING)


@rule.trace(*FUNCTIONS)
def in_trace(event: Event, trace: Trace) -> Iterator[Hit | Refuted]:
    where, size = site(event), event.args.get("output_size")
    before, after = spatial(event), [spatial(other) for other in trace.again(event).values()]
    if not cells(size):
        yield Refuted(where, "one cell: right at every input size")
    elif any(other != before for other in after):
        other = next(other for other in after if other != before)
        message = f"pools {by(before)} and {by(other)} to {shown(size)} as the input varies"
        yield Hit(where, message, harm=VARYING, severity=Severity.WARNING)
    elif divides(before, size):
        yield Refuted(
            where, f"the input is {by(before)} at every size tried: {shown(size)} divides it"
        )
    else:
        yield Hit(
            where, f"pools a fixed {by(before)} to {shown(size)}, which does not divide", harm=FIXED
        )


@rule.trial("wrong", "failed")
def in_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    for event in trial.trace.named(*FUNCTIONS):
        if not cells(event.args.get("output_size")):
            continue
        others = trial.trace.again(event)
        varied = [key for key, other in others.items() if spatial(other) != spatial(event)]
        if outcome.status == "failed" and "adaptive" in outcome.message.lower():
            yield Hit(
                site(event),
                f"{outcome.exporter} refuses: {outcome.message}",
                severity=Severity.ERROR,
            )
        elif outcome.exporter == "onnx" and any(key in outcome.wrong for key in varied):
            yield Hit(
                site(event),
                f"{outcome.exporter} is silently wrong: {outcome.detail}",
                severity=Severity.ERROR,
            )


def site(event: Event) -> Site:
    """The line to change: where the layer was made, else where the function is called."""
    return event.built if event.layer_class in LAYERS and event.built else event.site


def cells(size: Any) -> bool:
    """Whether a known output size has more than one cell along some axis."""
    sizes = size if isinstance(size, (tuple, list)) else (size,)
    return size is not UNKNOWN and any(isinstance(n, int) and n > 1 for n in sizes)


def spatial(event: Event) -> tuple[int, ...]:
    """Height and width (or length, or depth too) of what is pooled."""
    rank = int(event.name[-2])
    return event.inputs[0][-rank:]


def divides(before: tuple[int, ...], size: Any) -> bool:
    """Whether the output size divides the input along every axis."""
    sizes = size if isinstance(size, (tuple, list)) else (size,) * len(before)
    return all(not n or have % n == 0 for have, n in zip(before, sizes, strict=False))


def by(sizes: tuple[int, ...]) -> str:
    """14×14."""
    return "×".join(map(str, sizes))


def shown(size: Any) -> str:
    """7×7 of a pair, 7 of a number."""
    return by(tuple(size)) if isinstance(size, (tuple, list)) else str(size)
