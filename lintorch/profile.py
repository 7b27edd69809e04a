"""The exporters, opset and torch release a project deploys with; hazards hold for some and not for others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lintorch.finding import Harm, Hazard, Severity

MEASURED = ("torch.export", "onnx", "onnx-legacy", "torchscript-trace", "torchscript-script")
"""The exporters whose treatment of each hazard was measured."""
EXPORTERS = (*MEASURED, "openvino", "ncnn")
"""Those that a model can be tried with. What no rule says of one is unknown."""
DEFAULT_EXPORTERS = frozenset({"torch.export", "onnx"})
DEFAULT_OPSET = {"onnx": 20, "onnx-legacy": 20}
"""Opset written when none is asked for (measured on torch 2.13)."""
MEASURED_TORCH = (2, 13)

_VERDICT = {
    Harm.SILENT: "silently wrong under {}",
    Harm.AUTO: "silently wrong under {} where sizes are left to Dim.AUTO",
    Harm.WARNED: "wrong with no more than a warning under {}",
    Harm.REFUSED: "refused by {}",
    Harm.FAILS: "fails at run time under {}",
    Harm.NOISY: "a needless warning under {}",
}
_SEVERITY = {
    Harm.SILENT: Severity.ERROR,
    Harm.AUTO: Severity.WARNING,
    Harm.WARNED: Severity.WARNING,
    Harm.NOISY: Severity.NOTE,
}


@dataclass(frozen=True)
class Profile:
    """What the project deploys with.

    `opset` is None where no export call or setting names one. `dynamic` is False where every
    export call of the project leaves all sizes fixed.
    """

    exporters: frozenset[str] = DEFAULT_EXPORTERS
    opset: int | None = None
    dynamic: bool = True
    torch: tuple[int, int] = MEASURED_TORCH
    stated: frozenset[str] = frozenset()
    """Those of the exporters that settings or the command line name, for the whole project."""
    targets: tuple[str, ...] = ()
    """Names of what the exported model runs on; see `lintorch.targets`."""
    auto: bool = True
    """Whether a size may be left to `Dim.AUTO`: False where every export call says otherwise."""

    def opset_of(self, exporter: str) -> int:
        """The ONNX opset this exporter writes; 0 for exporters that write no ONNX."""
        default = DEFAULT_OPSET.get(exporter, 0)
        return self.opset if self.opset is not None and default else default

    def concerns(self, harm: Mapping[str, Harm]) -> dict[str, Harm]:
        """The part of `harm` that befalls exporters in use, in the table's order."""
        return {name: harm[name] for name in EXPORTERS if name in self.exporters and name in harm}

    def hazard(
        self, said: str, harm: Mapping[str, Harm], refused: Severity, fixed: Severity | None = None
    ) -> Hazard:
        """What befalls the exporters in use; no trial exports with `Dim.AUTO`."""
        concerned = self.concerns(harm)
        fine = (name for name in MEASURED if name in self.exporters and name not in harm)
        left = (name for name, kind in concerned.items() if kind is Harm.AUTO and self.auto)
        return Hazard(said, tuple(concerned.items()), tuple(fine), refused, fixed, tuple(left))


def message_of(hazard: Hazard) -> str:
    """What was found, and for which exporters in use the line breaks and how, and for which not."""
    clauses = [
        _VERDICT[kind].format(enumerated([name for name, each in hazard.harm if each is kind]))
        for kind in sorted({kind for _, kind in hazard.harm}, reverse=True)
    ]
    if hazard.fine:
        clauses.append(f"right under {enumerated([*hazard.fine])}")
    return f"{hazard.said}: {'; '.join(clauses)}"


def severity_of(hazard: Hazard) -> Severity:
    """The gravity of the worst that happens."""
    if hazard.fixed is not None:
        return hazard.fixed
    return max(_SEVERITY.get(kind, hazard.refused) for _, kind in hazard.harm)


def enumerated(names: list[str]) -> str:
    """`a, b and c`."""
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]
