"""The exporters, opset and torch release a project deploys with; hazards hold for some and not for others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lintorch.core.finding import Harm, Hazard, Severity

MEASURED = ("torch.export", "onnx", "onnx-legacy", "torchscript-trace", "torchscript-script")
"""The exporters whose treatment of each hazard was measured."""
EXPORTERS = (
    *(*MEASURED, "openvino", "ncnn", "executorch"),
    *("litert", "coreml", "tvm", "mnn", "onnx2tf"),
)
"""Those that a model can be tried with, in the order of reports. What no rule says of one is unknown."""
DEFAULT_EXPORTERS = frozenset({"torch.export", "onnx"})
"""Those in use where neither settings nor export calls say."""
DEFAULT_OPSETS = (
    ((2, 9), 20), ((2, 8), 18), ((2, 1), 17), ((1, 13), 14), ((1, 12), 13), ((0, 0), 9),
)  # fmt: skip
"""From which torch on which opset is written where none is asked for (read from the wheels)."""
LOWEST_OPSET = 18
"""The lowest that the new ONNX exporter writes: it converts to a lower one what it can."""
CONVERTS_TRACE = ("openvino", "ncnn", "coreml")
"""Those that convert what torch.jit.trace makes of a model: what that makes a constant is one there."""
WRITES_ONNX = ("onnx", "onnx-legacy")
"""Those whose file is ONNX, with an opset."""
MEASURED_TORCH = (2, 13)

_SEVERITY = {
    Harm.SILENT: Severity.ERROR,
    Harm.AUTO: Severity.WARNING,
    Harm.WARNED: Severity.WARNING,
    Harm.NOISY: Severity.NOTE,
}


@dataclass(frozen=True)
class Profile:
    """What the project deploys with.

    `opset` is what settings or the command line ask for, None where they do not. `dynamic` is
    False where every export call of the project leaves all sizes fixed.
    """

    exporters: frozenset[str] = DEFAULT_EXPORTERS
    opset: int | None = None
    dynamic: bool = True
    torch: tuple[int, int] = MEASURED_TORCH
    stated: frozenset[str] = frozenset()
    """Those of the exporters that settings or the command line name, for the whole project."""
    targets: tuple[str, ...] = ()
    """Names of what the exported model runs on; see `lintorch.targets`."""
    opsets: tuple[tuple[str, int], ...] = ()
    """By exporter: the lowest opset that export calls ask for; `opset` outweighs them."""
    auto: bool = True
    """Whether a size may be left to `Dim.AUTO`: False where every export call says otherwise."""
    strict: bool = True
    """False where a call of torch.jit.trace lets it take the dicts that models give back."""

    @property
    def is_chosen(self) -> bool:
        """Whether settings, the command line or export calls of the project say which exporters count."""
        return bool(self.stated) or self.exporters != DEFAULT_EXPORTERS

    def opset_asked(self, exporter: str) -> int | None:
        """The ONNX opset that this exporter is asked for; None where it is asked for none."""
        return dict(self.opsets).get(exporter) if self.opset is None else self.opset

    def opset_of(self, exporter: str) -> int:
        """The ONNX opset this exporter writes operators of; 0 for those that write no ONNX.

        A lower one that the new exporter is asked for only the finished model may be converted to.
        """
        if exporter not in WRITES_ONNX:
            return 0
        asked = self.opset_asked(exporter)
        opset = default_opset(self.torch) if asked is None else asked
        return max(opset, LOWEST_OPSET) if exporter == "onnx" else opset

    def concerns(self, harm: Mapping[str, Harm]) -> dict[str, Harm]:
        """The part of `harm` that befalls exporters in use, in the table's order."""
        return {name: harm[name] for name in EXPORTERS if name in self.exporters and name in harm}

    def judge_harm(
        self, harm: Mapping[str, Harm], refused: Severity, fixed: Severity | None = None
    ) -> Hazard:
        """What befalls the exporters in use; no trial exports with `Dim.AUTO`."""
        concerned = self.concerns(harm)
        fine = (name for name in MEASURED if name in self.exporters and name not in harm)
        left = (name for name, kind in concerned.items() if kind is Harm.AUTO and self.auto)
        return Hazard(tuple(concerned.items()), tuple(fine), refused, fixed, tuple(left))


def default_opset(torch: tuple[int, int]) -> int:
    """The opset that a release of torch writes where none is asked for."""
    return next(opset for release, opset in DEFAULT_OPSETS if torch >= release)


def weigh_hazard(hazard: Hazard) -> Severity:
    """The gravity of the worst that happens."""
    if hazard.fixed is not None:
        return hazard.fixed
    return max(_SEVERITY.get(kind, hazard.refused) for _, kind in hazard.harm)


def enumerate_names(names: list[str]) -> str:
    """`a, b and c`."""
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]
