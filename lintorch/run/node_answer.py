"""Where a node of an .onnx file comes from, as it is told."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from lintorch.onnx_file import OnnxNode
from lintorch.run.node_frames import Frame, Told

Certainty = Literal["certain", "probable", "possible", "unknown"]


@dataclass(frozen=True)
class SpokenRule:
    """What a rule says of the line: the message ends with what to write instead."""

    code: str
    message: str
    row: int
    evidence: str


@dataclass(frozen=True)
class NodeAnswer:
    """Where one node comes from.

    `lines` are the lines that may have made it, the most likely first: one where `certainty` is
    "certain" or "probable". `calls` is how the first of them was reached, outermost first, it included.
    `way` says how that is known: "metadata", "verbose export", "neighbours", "scope", "weights", "export" or "".
    """

    asked: str
    node: OnnxNode
    by: str = ""
    where: str = ""
    lines: tuple[Frame, ...] = ()
    calls: tuple[Frame, ...] = ()
    way: str = ""
    certainty: Certainty = "unknown"
    why: str = ""
    told: Told = field(default_factory=Told)
    together: tuple[OnnxNode, ...] = ()
    """Other nodes of the same line and the same operation of torch, in the order of the file."""
    rules: tuple[SpokenRule, ...] = ()

    @property
    def line(self) -> Frame | None:
        """The line, where it is one."""
        return self.lines[0] if self.certainty in ("certain", "probable") and self.lines else None


@dataclass(frozen=True)
class ExplainedNodes:
    """The answers in the order of the names; `notes` say what was left undone."""

    answers: tuple[NodeAnswer, ...]
    notes: tuple[str, ...] = ()
