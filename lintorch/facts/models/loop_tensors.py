"""What is known of the tensors that a loop goes through, reads and fills, row by row."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Protocol, TypeVar

import libcst as cst

from lintorch.core.finding import Place
from lintorch.evaluator.events import Called, Indexed, ItemSet, Occurrence, Repeated
from lintorch.evaluator.given_arguments import name_given
from lintorch.evaluator.sizes import Dim
from lintorch.evaluator.values import Items, Tensor, Value
from lintorch.facts.models.lifted_loops import LoopHead
from lintorch.facts.models.lifted_rows import RowLifter
from lintorch.facts.models.size_rewrites import RewritesSizes
from lintorch.syntax.positions import Spans

N = TypeVar("N", bound=cst.CSTNode)

LENGTHS = re.compile(r"len(s|gths?)?\b|_len")
"""What names of one number a row have in them."""
LOOPS = (ast.For, ast.ListComp, ast.GeneratorExp)
PARTED = ("torch.Tensor.split", "torch.Tensor.chunk", "torch.split", "torch.chunk")
SAME_OF_ROWS = frozenset(
    {"Linear", "Identity", "ReLU", "GELU", "SiLU", "Tanh", "Sigmoid", "LeakyReLU", "ELU"}
)
SAME_OF_SAMPLES = frozenset(
    {
        "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d",
        "LayerNorm", "GroupNorm", "InstanceNorm1d", "InstanceNorm2d", "Upsample", "MaxPool1d",
        "MaxPool2d", "AvgPool1d", "AvgPool2d", "PixelShuffle", "Flatten",
    }
)  # fmt: skip
"""Layers whose result for a sample depends on no other sample, in training neither."""


class RewritesLoops(RewritesSizes, Protocol):
    """What rewrites sizes, with the text, the nodes and the layers of a file."""

    @property
    def text(self) -> str:
        """All of it."""

    @property
    def spans(self) -> Spans:
        """Rows, columns and offsets."""

    def nodes(self, kind: type[N]) -> list[N]:
        """All nodes of a class, in order."""

    def place(self, node: object) -> Place:
        """Where a node or an event stands."""

    def built(self, expression: cst.CSTNode) -> tuple[cst.Call, ...]:
        """The calls that an attribute was assigned from."""


def make_lifter(
    head: LoopHead, event: Repeated, node: cst.CSTNode, source: RewritesLoops
) -> RowLifter:
    """What lifts the expressions of a loop, with what the evaluator knows of the tensors in it."""
    read = dict(list_read(event, source))
    for _, whole in head.rows[:1]:
        if isinstance(event.over, Tensor):
            read[whole] = event.over
    read |= dict(list_zipped(head, event.over))
    rounds = count_rounds(event.over)

    def rank_of(name: str) -> int | None:
        shape = read[name].shape if name in read else None
        return len(shape) if shape is not None else 1 if LENGTHS.search(name) else None

    def counts(name: str) -> bool:
        shape = read[name].shape if name in read else None
        named = re.sub(r"\.size\(0\)|\.shape\[0\]|^len\(|\)$", "", head.count) == name
        rowed = name in dict(head.rows).values()
        return named or rowed or not shape or (rounds is not None and shape[0] == rounds)

    axis, rank = head.part, rank_of(head.rows[0][1]) if head.rows else None
    same, batched = list_layers(event, source)
    if head.part:
        batched = same = same if rank is None or int(axis) < rank - 1 else frozenset()
    spelled = source.reach("torch.arange", node)[0].rpartition(".")[0]
    return RowLifter(
        head.turn, head.count, rank_of, counts, dict(head.rows), bool(head.part),
        spelled or "torch", same, batched,
    )  # fmt: skip


def count_rounds(over: Value) -> Dim | None:
    """How often a loop goes round; None where that is not known."""
    if not isinstance(over, Items):
        return None
    if over.items is not None:
        return len(over.items)
    return over.length.size if over.length is not None else None


def list_zipped(head: LoopHead, over: Value) -> Iterator[tuple[str, Tensor]]:
    """What is gone through in step, from what one row of each is; how many there are is not asked."""
    each = over.each if isinstance(over, Items) else None
    if isinstance(over, Items) and over.items:
        each = over.items[0]
    rows = each.items if isinstance(each, Items) else None
    for (_, whole), row in zip(head.rows, rows or (), strict=False):
        if isinstance(row, Tensor) and row.shape is not None:
            yield whole, replace(row, shape=(0, *row.shape))


def list_read(event: Repeated, source: RewritesLoops) -> Iterator[tuple[str, Tensor]]:
    """The tensors that are read, or written to, by an index, by how they are written."""
    rows, way = list_rows(event), event.way.root
    for _, each in source.evaluation.list_events({Indexed, ItemSet, *PARTED}):
        if not isinstance(each, Occurrence) or each.way.root != way:
            continue
        if each.spot.path != source.path or source.place(each).row not in rows:
            continue
        if isinstance(each, (Indexed, ItemSet)) and isinstance(each.held, Tensor):
            yield source.evaluation.text(each.spot).partition("[")[0], each.held
        elif isinstance(each, Called):
            held = next(iter(name_given(each).values()), None)
            text = source.evaluation.text(each.spot)
            name = re.match(r"(?:torch\.\w+\()?(\w+)", text)
            if isinstance(held, Tensor) and name:
                yield name[1], held


def list_rows(event: Repeated) -> range:
    """The rows of a loop or comprehension."""
    loop = event.loop
    return range(loop.lineno, (loop.end_lineno or 0) + 1) if isinstance(loop, LOOPS) else range(0)


def list_layers(event: Repeated, source: RewritesLoops) -> tuple[frozenset[str], frozenset[str]]:
    """Layers that are called in a loop: those that treat each row alike, and those that do each sample."""
    same, batched, rows = set(), set(), list_rows(event)
    for call in source.nodes(cst.Call):
        if source.place(call).row in rows and isinstance(call.func, cst.Attribute):
            kinds = {source.name(made.func).rpartition(".")[2] for made in source.built(call.func)}
            if kinds and kinds <= SAME_OF_ROWS:
                same.add(source.code(call.func))
            if kinds and kinds <= SAME_OF_ROWS | SAME_OF_SAMPLES:
                batched.add(source.code(call.func))
    return frozenset(same), frozenset(batched)
