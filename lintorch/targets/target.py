"""One release of one runtime, and what it takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from lintorch.targets import judge_use, opset_history
from lintorch.targets.runtime_tables import Family, Release, Row, load_family
from lintorch.targets.verdict import About, Answer, Verdict

_ONNX = ("", "ai.onnx")
_LOWEST = 7
"""The first opset of which the tables of runtimes tell anything."""


@dataclass(frozen=True)
class Target:
    """A release of a runtime, by the names its tables go by: a small value that can be a key."""

    family: str
    version: str

    @property
    def name(self) -> str:
        """As users write it: `tensorrt-8.6`."""
        return f"{self.family}-{self.version}"

    @property
    def tables(self) -> Family:
        """All that is known of its runtime."""
        return load_family(self.family)

    @property
    def release(self) -> Release:
        """What is known of the release as a whole."""
        return self.tables.release(self.version)

    @property
    def highest(self) -> int | None:
        """The highest opset it is made for; None where unknown, or where opsets mean nothing."""
        return self.release.highest

    @property
    def operators(self) -> dict[str, Row]:
        """The rows of its table by operator."""
        return self.tables.operators(self.version)

    def supports(
        self,
        operator: str,
        opset: int | None = None,
        domain: str = "",
        types: Sequence[str] = (),
        rank: int | None = None,
    ) -> Verdict:
        """Whether it takes an operator as a model of this opset means it.

        `domain` is that of ONNX, "aten" for operators of PyTorch (`grid_sampler`,
        `aten::grid_sampler`), or "torch" for modules and functions (`nn.PReLU`). `types` are
        those of the inputs, as torch calls them, the first deciding; `rank` is that of the
        first input. What is not asked for is not judged.
        """
        verdict = self._judged(operator, opset, domain, types, rank)
        if verdict.answer is not Answer.NO:
            return verdict
        later = (
            Target(self.family, release.version) for release in self.tables.later(self.version)
        )
        asked = (operator, opset, domain, types, rank)
        first = next((t.version for t in later if t._judged(*asked)), None)
        return replace(verdict, since=first)

    def opsets(self, operator: str) -> tuple[int, ...]:
        """The opsets from 7 to its highest at which it is known to take an operator."""
        if self.highest is None:
            return ()
        return tuple(n for n in range(_LOWEST, self.highest + 1) if self.supports(operator, n))

    def _judged(
        self, operator: str, opset: int | None, domain: str, types: Sequence[str], rank: int | None
    ) -> Verdict:
        release = self.release
        kind = "onnx" if domain in _ONNX else domain
        if kind != self.tables.names:
            return Verdict(Answer.UNKNOWN, f"{self.name} has no table of {kind} operators")
        if kind == "onnx" and _opset_refused(opset, release):
            reason = f"{self.name} refuses opset {opset}: its highest is {release.highest}"
            return Verdict(Answer.NO, reason, About.OPSET, confidence=release.confidence)
        spelled, row = self._row(operator)
        since = opset_history.find_definition(spelled, opset) if kind == "onnx" else None
        if kind == "onnx" and since is None and opset_history.is_standard(spelled):
            return Verdict(Answer.UNKNOWN, f"ONNX has no {spelled} at opset {opset}")
        verdict = judge_use.judge_operator(spelled, row, since, opset, self.name, release)
        if row is not None and verdict:
            verdict = judge_use.judge_use(
                verdict, row, since, types, rank, self.tables.casts, self.name
            )
        return replace(verdict, confidence=release.confidence)

    def _row(self, operator: str) -> tuple[str, Row | None]:
        """The row of an operator, under the name that the table has it by."""
        for name in judge_use.list_spellings(operator, self.tables.names):
            if (row := self.tables.row(name, self.version)) is not None:
                return name, row
        return operator, None


def _opset_refused(opset: int | None, release: Release) -> bool:
    limit = release.highest if release.limit == "refused" else None
    return opset is not None and limit is not None and opset > limit
