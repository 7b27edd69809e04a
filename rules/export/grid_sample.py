"""LT118: sampling by a grid that an opset lacks, that fixes the size, or that is made otherwise than read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lintorch.core.finding import Harm, Hit, Refuted, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import read_plain
from lintorch.evaluator.values import Items, Number, Tensor
from lintorch.evidence import OperatorCall, Outcome, Trace, Trial, Variation
from lintorch.evidence.size_changes import may_be_of
from lintorch.evidence.treatment import read_first_line, report_refusal
from lintorch.source import UNKNOWN, Source

rule = Rule(
    __name__,
    code="LT118",
    summary="a grid that an exporter lacks, or that is made otherwise than it is read",
    why="""
        The legacy ONNX exporter writes grid_sample from opset 16 on, of volumes (5-D) and
        affine_grid from opset 20 on, and refuses them below. The new exporter writes all three.
        affine_grid to a size read from the input is refused by torch.export and by the new
        exporter where height or width vary: keep the size fixed, or make the grid another way.

        A grid made with one align_corners and sampled with the other is shifted by up to half a
        pixel, and nothing says so: the identity no longer gives the input back. Unset means False.
        Measured on torch 2.13.
    """,
    bad="""
        from torch import nn
        from torch.nn import functional as F


        class Warp(nn.Module):
            def forward(self, x, theta):
                grid = F.affine_grid(theta, (1, 3, 64, 64), align_corners=True)
                return F.grid_sample(x, grid, align_corners=False)
    """,
    good="""
        from torch import nn
        from torch.nn import functional as F


        class Warp(nn.Module):
            def forward(self, x, theta):
                grid = F.affine_grid(theta, (1, 3, 64, 64), align_corners=False)
                return F.grid_sample(x, grid, align_corners=False)
    """,
    remedy=(
        "make the points with arange: (2 * torch.arange(w) + 1) / w - 1, the same of h, "
        "and multiply by theta"
    ),
    proof="""
        image, identity = torch.randn(1, 3, 64, 64), torch.eye(2, 3)[None]
        assert torch.allclose(Warp()(image, identity), image, atol=1e-3)
    """,
)

SAMPLE = "torch.nn.functional.grid_sample"
AFFINE = "torch.nn.functional.affine_grid"
SAMPLE_PARAMETERS = ("input", "grid", "mode", "padding_mode", "align_corners")
AFFINE_PARAMETERS = ("theta", "size", "align_corners")
FIRST = {SAMPLE: 16, AFFINE: 20}
"""The opset from which the legacy exporter has the operator."""
FIRST_5D = 20
LEGACY = {"onnx-legacy": Harm.REFUSED}
VARYING = {"torch.export": Harm.REFUSED, "onnx": Harm.REFUSED}
REFUSALS = {
    True: ("grid_sampler", "GridSample", "affine_grid"),
    False: ("declared dynamic", "user-specified dim"),
}
"""What the legacy exporter says, and what the others say."""


@rule.event(SAMPLE)
def in_pair(event: Called, source: Source) -> Iterator[Hit]:
    """A grid that is read otherwise than it was made."""
    made = source.evaluation.ways.find_maker(event.arguments.get("grid"))
    if not isinstance(made, Called) or made.name != AFFINE:
        return
    read, flag = (read_plain(each.arguments.get("align_corners")) for each in (event, made))
    if UNKNOWN not in (read, flag) and bool(flag) is not bool(read):
        message = f"samples with align_corners={bool(read)} a grid made with {not read}"
        remedy = "pass the same align_corners to both calls"
        yield Hit(event, f"{message}: every point is shifted", remedy=remedy)


@rule.event(SAMPLE, AFFINE)
def in_model(event: Called, source: Source) -> Iterator[Hit]:
    if not event.way.forward:
        return
    opset, short = source.profile.opset_of("onnx-legacy"), event.name.rpartition(".")[2]
    lowest = FIRST_5D if is_volume(event) else FIRST[event.name]
    varies = event.name == AFFINE and source.profile.dynamic and sized_by_input(event)
    harm = {**(VARYING if varies else {}), **(LEGACY if opset < lowest else {})}
    message = f"{short} to a size read from the input, where height or width may vary"
    if varies and source.profile.concerns(VARYING):
        yield Hit(event, message, harm=harm, severity=Severity.WARNING)
    elif harm:
        remedy = f"ask for opset_version={lowest}"
        said = needs(short, opset, lowest)
        yield Hit(event, said, harm=harm, severity=Severity.ERROR, remedy=remedy)


def is_volume(event: Called) -> bool:
    """Whether points in three dimensions are sampled, or made."""
    shape = event.result.shape if isinstance(event.result, Tensor) else None
    return shape is not None and len(shape) == 5


def sized_by_input(event: Called) -> bool:
    """Whether the height, width or depth given to affine_grid varies."""
    size = event.arguments.get("size")
    if not isinstance(size, Items) or size.items is None:
        return isinstance(size, Items) and bool(size.of_input)
    return any(isinstance(each, Number) and each.varies for each in size.items[2:])


@rule.trace(SAMPLE, AFFINE)
def in_trace(event: OperatorCall, trace: Trace) -> Iterator[Hit | Refuted]:
    short, opset = event.name.rpartition(".")[2], trace.profile.opset_of("onnx-legacy")
    harm = harms(event, trace.find_again(event), opset)
    if trace.profile.concerns(harm):
        varies = "onnx" in harm
        message = f"{short} to a size that varies" if varies else needs(short, opset, first(event))
        remedy = None if varies else f"ask for opset_version={first(event)}"
        severity = Severity.WARNING if varies else None
        yield Hit(event, message, harm=harm, severity=severity, remedy=remedy)
    elif event.name == AFFINE and trace.never_changes(event, grid_size):
        yield Refuted(event, f"the grid is {shown(event)} at every size tried")


@rule.trial("failed")
def in_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    for event in trial.trace.find_events(SAMPLE, AFFINE):
        harm = harms(event, trial.trace.find_again(event), outcome.opset or 0)
        said = any(word in outcome.message for word in REFUSALS[outcome.exporter == "onnx-legacy"])
        if outcome.exporter in harm and said and may_be_of(outcome, event):
            why = "a size declared dynamic is fixed here"
            if outcome.exporter == "onnx-legacy":
                why = read_first_line(outcome.message)[:200]
            yield report_refusal(event, outcome, why)


def harms(
    event: OperatorCall, others: Mapping[Variation, OperatorCall], opset: int
) -> dict[str, Harm]:
    """What the exporters do with a grid whose sizes are known, here and as the input varies."""
    size = grid_size(event)
    varies = event.name == AFFINE and any(grid_size(other) != size for other in others.values())
    return {**(VARYING if varies else {}), **(LEGACY if opset < first(event) else {})}


def first(event: OperatorCall) -> int:
    """The opset from which the legacy exporter has the operator, at this rank."""
    volume = len(event.outputs[0]) == 5
    return FIRST_5D if volume else FIRST[event.name]


def needs(short: str, opset: int, first: int) -> str:
    return f"{short} needs opset {first}, and {opset} is written"


def grid_size(event: OperatorCall) -> tuple[int, ...]:
    """Height and width (or depth too) of the points, and how many numbers each has."""
    return event.outputs[0][1:]


def shown(event: OperatorCall) -> str:
    """64×64."""
    return "×".join(map(str, event.outputs[0][1:-1]))
