"""How a batch that a loader gives is taken apart: what it has to be made of."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from lintorch.guest.training.name_uses import Matches, collect_uses, is_name, last_name


@dataclass(frozen=True)
class BatchForm:
    """A tensor of some name; else, several by their keys, or one after the other."""

    name: str = ""
    by_key: Mapping[str, BatchForm] = field(default_factory=dict)
    in_order: tuple[BatchForm, ...] = ()


USUAL = (
    BatchForm(in_order=(BatchForm("inputs"), BatchForm("targets"))),
    BatchForm("inputs"),
    BatchForm(by_key={name: BatchForm(name) for name in ("image", "label")}),
)
"""What batches are where code does not tell."""


def find_batch_forms(nodes: Sequence[ast.AST], matches: Matches) -> list[BatchForm]:
    """The forms that batches of a loader may have, the likeliest first."""
    found = [_read_target(each, nodes) for each in _list_targets(nodes, matches)]
    return [*found, *(each for each in USUAL if each not in found)]


def read_batch(name: str, nodes: Sequence[ast.AST]) -> BatchForm:
    """The form of a batch that a parameter of this name is."""
    return _read_target(ast.Name(name), nodes)


def _list_targets(nodes: Iterable[ast.AST], matches: Matches) -> Iterator[ast.expr]:
    """What is given the batches: targets of loops, and of `next(…)`."""
    for root in nodes:
        for node in ast.walk(root):
            if isinstance(node, ast.For) and _mentions(node.iter, matches):
                is_counted = _is_counted(node.iter) and isinstance(node.target, ast.Tuple)
                yield node.target.elts[-1] if is_counted else node.target  # type: ignore[attr-defined]
    for root in nodes:
        for node in ast.walk(root):
            value = node.value if isinstance(node, ast.Assign) else None
            if isinstance(value, ast.Call) and last_name(value.func) in ("next", "__next__"):
                yield node.targets[0]  # type: ignore[attr-defined]


def _mentions(node: ast.expr, matches: Matches) -> bool:
    return any(isinstance(part, ast.expr) and matches(part) for part in ast.walk(node))


def _is_counted(node: ast.expr) -> bool:
    """Whether there is a call of enumerate in it."""
    return any(
        isinstance(part, ast.Call) and last_name(part.func) == "enumerate"
        for part in ast.walk(node)
    )


def _read_target(target: ast.expr, nodes: Sequence[ast.AST]) -> BatchForm:
    if isinstance(target, (ast.Tuple, ast.List)):
        return BatchForm(in_order=tuple(_read_target(each, nodes) for each in target.elts))
    if isinstance(target, ast.Starred):
        return _read_target(target.value, nodes)
    name = last_name(target)
    uses = collect_uses(nodes, is_name(name)) if isinstance(target, ast.Name) else None
    if uses is None:
        return BatchForm(name)
    words = [key for key in uses.keys if isinstance(key, str)]
    if words:
        return BatchForm(by_key={key: BatchForm(key) for key in words})
    if uses.unpacked:
        return _read_target(uses.unpacked[0], ())
    numbers = [key for key in uses.keys if isinstance(key, int) and key >= 0]
    if numbers and not uses.methods & {"to", "size", "view", "cuda"}:
        named = ["inputs", *(["targets"] * max(1, *numbers))]
        return BatchForm(in_order=tuple(map(BatchForm, named[: max(numbers) + 1])))
    return BatchForm(name)
