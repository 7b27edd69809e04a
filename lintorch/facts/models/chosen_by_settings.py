"""Branches on sizes that are constants of a model: its strides and paddings decide them, not its inputs."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from lintorch.evaluator.events import Called, Decided, Occurrence
from lintorch.evaluator.far_sizes import meet_by_settings
from lintorch.evaluator.sizes import Dim
from lintorch.evaluator.values import Constant, Items, Question, Value, size_in

_EQUALITY = ("==", "!=")
_SHRINKING = ("torch.nn.MaxPool", "torch.nn.AvgPool", "torch.nn.Conv")
_MEASURING = frozenset({"shape", "size"})


def is_by_settings(
    event: Decided, asked: Iterable[Question], happened: Iterable[Occurrence]
) -> bool:
    """Whether two sizes are held against each other that are equal by how the model is built, or never.

    Either is told by the sizes, where a stride is a setting; or, where one is not known, by a side that
    halves a tensor, as no rounding is mended so.
    """
    questions = [*asked]
    if not questions or any(each.operator not in _EQUALITY for each in questions):
        return False
    if all(map(_is_constant, questions)):
        return True
    unknown = all(map(_is_open, questions))
    return unknown and _halves(event, happened)


def _is_constant(question: Question) -> bool:
    """Whether for each value of the settings the answer is the same at every size."""
    pairs = [*_pair_sizes(question.left, question.right)]
    return bool(pairs) and all(meet_by_settings(*pair) for pair in pairs)


def _pair_sizes(left: Value, right: Value) -> Iterator[tuple[Dim, Dim]]:
    """The sizes that are held against each other, without those that are the same; nothing where one is not known."""
    one, other = (each.items if isinstance(each, Items) else (each,) for each in (left, right))
    sides = [[*map(size_in, each or ())] for each in (one, other)]
    if len(sides[0]) != len(sides[1]) or None in sides[0] or None in sides[1]:
        return
    for first, second in zip(*sides, strict=True):
        if first is not None and second is not None and first != second:
            yield first, second


def _is_open(question: Question) -> bool:
    """Whether of one side alone it is not known what it is."""
    return _is_unknown(question.left) != _is_unknown(question.right)


def _is_unknown(value: Value) -> bool:
    if isinstance(value, Items):
        return not value.items
    return size_in(value) is None


def _halves(event: Decided, happened: Iterable[Occurrence]) -> bool:
    """Whether a side of the branch makes a tensor smaller by a layer's stride, and measures nothing."""
    branch = event.branch
    if not isinstance(branch, (ast.If, ast.IfExp)):
        return False
    sides = [*_list_parts(branch.body), *_list_parts(branch.orelse)]
    if any(isinstance(each, ast.Attribute) and each.attr in _MEASURING for each in sides):
        return False
    rows = {each.lineno for each in sides if isinstance(each, ast.Call)}
    path = event.spot.path
    return any(
        isinstance(each, Called)
        and each.spot.path == path
        and each.spot.row in rows
        and _has_stride(each)
        for each in happened
    )


def _list_parts(side: list[ast.stmt] | ast.expr) -> Iterator[ast.AST]:
    for each in side if isinstance(side, list) else (side,):
        yield from ast.walk(each)


def _has_stride(call: Called) -> bool:
    if not call.name.startswith(_SHRINKING) or not call.name.endswith(".forward"):
        return False
    pools = not call.name.startswith("torch.nn.Conv")
    stride = call.settings.get("stride")
    if pools and (stride is None or stride == Constant(None)):
        stride = call.settings.get("kernel_size")
    steps = stride.items or () if isinstance(stride, Items) else (stride,)
    return any(isinstance(e, Constant) and isinstance(e.value, int) and e.value > 1 for e in steps)
