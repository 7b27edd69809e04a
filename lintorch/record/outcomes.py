"""How exporters treated a model, and what an exported ONNX graph holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from lintorch.record.decoders import Greedy
from lintorch.record.precisions import PrecisionLoss
from lintorch.record.sites import Site
from lintorch.record.suggestions import Suggestion

Status = Literal["ok", "wrong", "failed", "unavailable", "random"]
"""What came of an export; "random" where eager differs from itself, so that numbers could not be compared."""
ExportStage = Literal["", "eager", "export", "quantize", "save", "load", "run", "stopped"]
"""Where an export failed: "eager" before it, as torch does not run the model in that type; "stopped" by a limit, an exit or a crash."""


@dataclass(frozen=True)
class OperatorUse:
    """One operator of an exported ONNX graph, as it is used at one line.

    `opset` is the one that the file imports for the operator's domain ("" for ONNX itself).
    `types` are those of its inputs as torch calls them, "" where unknown; `rank` is that of the
    first one. `data` is False where it only works on sizes and constants.
    """

    name: str
    opset: int
    domain: str = ""
    types: tuple[str, ...] = ()
    rank: int | None = None
    layer: str = ""
    """Dotted path of the module it stands in; "" for the model."""
    site: Site | None = None
    data: bool = True


@dataclass(frozen=True)
class Variation:
    """How what was compared with eager differs from what was traced.

    Nothing differs at the traced sizes; else some named sizes are `changed`, in the order of their
    names, or the export was made in training mode, or it is `redrawn`: the sizes are the same, and
    the numbers are others. `sizes` are what they are there, in the same order: the same names may be
    changed several times.
    """

    changed: tuple[str, ...] = ()
    sizes: tuple[int, ...] = ()
    training: bool = False
    redrawn: bool = False

    @staticmethod
    def between(traced: Mapping[str, int], sizes: Mapping[str, int]) -> Variation:
        """What is changed at these sizes, all by their names."""
        changed = tuple(sorted(name for name in sizes if sizes[name] != traced.get(name)))
        return Variation(changed, tuple(sizes[name] for name in changed))

    def __bool__(self) -> bool:
        return self != AS_TRACED

    def __str__(self) -> str:
        """`batch`, `height,width`; nothing where no size is changed."""
        return ",".join(self.changed)

    @property
    def sizes_by_name(self) -> dict[str, int]:
        """What those that are changed are, by their names."""
        return dict(zip(self.changed, self.sizes, strict=True))

    def write_sizes(self) -> str:
        """`batch 3`, `height,width 97×129`; nothing where no size is changed."""
        return f"{self} {'×'.join(map(str, self.sizes))}".strip()


AS_TRACED = Variation()
"""Nothing differs."""
IN_TRAINING = Variation(training=True)
"""The export was made in training mode."""
REDRAWN = Variation(redrawn=True)
"""Other numbers were fed, by which the model itself takes other steps."""


@dataclass(frozen=True)
class Deviation:
    """Where an exported model is wrong, and by how much.

    `amount` is the largest absolute difference from eager, None where the exported model raised or
    gave another shape.
    """

    at: Variation
    amount: float | None
    why: str = ""
    """What it did, where it gave nothing to compare: `the exported model raises …`."""


MOST_APART = 256
"""Of one export, differences that are told."""


@dataclass(frozen=True)
class Apart:
    """How far one output of an export is from eager's at some sizes, however little that is.

    `amount` is the largest absolute difference, None where none can be told; `tolerance` is what
    it may be.
    """

    at: Variation
    output: str
    amount: float | None
    tolerance: float = 0.0


@dataclass(frozen=True)
class SizeLimit:
    """A condition on sizes that an export took for given, though the model itself runs beyond.

    `site` is the line that asked for it. `at` is where beyond the export is wrong, as
    `Outcome.wrong` says; nowhere where no such sizes were tried, because they are far or take long.
    """

    condition: str
    """In the names of the model's sizes: `height < 597`."""
    site: Site | None
    at: tuple[Variation, ...] = ()
    decided: bool = False
    """Whether Python asked on that line, and not an operator that it calls."""


@dataclass(frozen=True)
class Untried:
    """Sizes at which a line may do something else than at all that were tried, and why they were left out.

    Without a line they are ones at which a size inside the model is one, and the export is wrong.
    """

    at: Variation
    site: Site | None
    why: str
    """In words that end a sentence: `that computes for too long`."""


@dataclass(frozen=True)
class Outcome:
    """How one exporter treated one model; `detail` says in words what is `wrong`."""

    exporter: str
    status: Status
    stage: ExportStage = ""
    message: str = ""
    site: Site | None = None
    operators: tuple[str, ...] = ()
    wrong: tuple[Deviation, ...] = ()
    detail: str = ""
    warnings: tuple[tuple[str, Site | None], ...] = ()
    """Warnings raised by the exporter that name a line of the user's source."""
    opset: int | None = None
    ir: int | None = None
    """The IR version of the ONNX file that was written."""
    compared: tuple[Variation, ...] = ()
    """All at which numbers were compared, wrong or right; shapes alone where the model is random."""
    draws: int = 1
    """How many draws of numbers were compared at the traced sizes: more where data decides what the model computes."""
    seconds: float = 0.0
    graph: tuple[OperatorUse, ...] = ()
    """What an exported ONNX file holds, whatever its numbers are worth."""
    error: float | None = None
    """The largest absolute difference from eager over all sizes; None where none was measured."""
    apart: tuple[Apart, ...] = ()
    """The same by size and output, in the order of `compared`; no more than `MOST_APART`."""
    devices: tuple[Site, ...] = ()
    """The lines whose device the exported program holds as a constant."""
    artifact: str = ""
    """The file that was written, where it was asked for."""
    part: str = ""
    """The smallest module inside the model that alone fails, or is wrong, as it is: `neck.pool (Pool)`."""
    enough: int | None = None
    """The lowest ONNX opset at which every operator has a translation; None where none is known."""
    script: str = ""
    """A program that shows the same with torch alone, where it was asked for."""
    unwritten: str = ""
    """Why there is no such program."""
    kept: tuple[str, ...] = ()
    """Attributes that a run leaves changed, where only an export that is made after one goes wrong."""
    returned: str = ""
    """What forward gives back that the exporter does not take, and is all that it refuses: `a dict`."""
    limits: tuple[SizeLimit, ...] = ()
    """What it holds for only, at sizes declared dynamic."""
    untried: tuple[Untried, ...] = ()
    """Sizes at which it was not compared, though the model may do something else there."""
    drawn_once: bool = False
    """Whether what was exported of a random model gives the same at each run."""
    pruned: tuple[str, ...] = ()
    """Inputs that the model is fed and the exported file does not have."""
    suggested: Suggestion | None = None
    """The call that exports the model, where it was asked for."""
    precision: str = ""
    """One of `lintorch.record.precisions.PRECISIONS`; "" for the model as it is built."""
    loss: PrecisionLoss | None = None
    """What that costs; None where nothing was compared."""
    half: str = ""
    """One of `lintorch.record.decoders.HALVES`, of a decoder; "" for the model as it is."""
    greedy: tuple[Greedy, ...] = ()
    """Of a decoder's step: both halves as they were exported, generating."""

    @property
    def is_timed(self) -> bool:
        """Whether what was exported runs at the sizes that it was exported with, right or wrong."""
        raised = any(not each.at and each.amount is None for each in self.wrong)
        return self.status in ("ok", "random", "wrong") and bool(self.compared) and not raised

    @property
    def wrong_at(self) -> dict[Variation, float | None]:
        """By what was varied: how far off the exported model is, as `Deviation` says it."""
        return {each.at: each.amount for each in self.wrong}

    def is_explained(self, *, decided: bool = False) -> bool:
        """Whether the export is wrong only beyond what it took for given, maybe only what Python decided."""
        known = (limit for limit in self.limits if limit.decided or not decided)
        beyond = {at for limit in known for at in limit.at}
        return bool(self.wrong) and beyond >= {each.at for each in self.wrong}
