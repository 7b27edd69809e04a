"""Places a node whose name says nothing by the weights before and behind it, whose names tell modules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from lintorch.facts.models.module_steps import FollowedModel, ModuleStep
from lintorch.onnx_file import Body, OnnxNode
from lintorch.run.align_nodes import Item, Token, align
from lintorch.run.layer_places import LayerPlaces, read_module
from lintorch.run.module_scopes import ModuleScopes

_FARTHEST = 400
_MOST_BETWEEN = 300


@dataclass(frozen=True)
class Between:
    """The modules of the nearest weights that a node's value comes from and goes to, "" where there is none.

    `own` is that of the node's own weight.
    """

    before: str = ""
    after: str = ""
    own: str = ""
    first: OnnxNode | None = None
    last: OnnxNode | None = None

    def describe(self) -> str:
        """Where the node stands, in words; "" where no weight is near."""
        if self.own:
            return f"its weight is of {self.own}"
        if self.before and self.after:
            return (
                f"it stands between {self.before} and {self.after}, whose weights are the nearest"
            )
        if self.before or self.after:
            return (
                f"it stands behind {self.before}"
                if self.before
                else f"it stands before {self.after}"
            )
        return ""


def find_between(body: Body, node: OnnxNode) -> Between:
    """The nearest weights, along the values."""
    own = read_module(body, node)
    first = _find_nearest(body, node, body.list_before)
    last = _find_nearest(body, node, body.list_after)
    before = read_module(body, first) if first else ""
    return Between(before, read_module(body, last) if last else "", own, first, last)


def _find_nearest(
    body: Body, node: OnnxNode, step: Callable[[OnnxNode], Iterable[OnnxNode]]
) -> OnnxNode | None:
    """Breadth first."""
    waiting, seen, at = [node], {id(node)}, 0
    while at < len(waiting) and at < _FARTHEST:
        for each in step(waiting[at]):
            if id(each) not in seen:
                seen.add(id(each))
                waiting.append(each)
                if read_module(body, each):
                    return each
        at += 1
    return None


def list_steps_between(
    body: Body, node: OnnxNode, between: Between, model: FollowedModel, scopes: ModuleScopes
) -> tuple[list[ModuleStep], bool]:
    """The operations that may have made it, the likeliest first, and whether the order tells that one."""
    places = LayerPlaces(body, model, scopes)
    if between.own:
        return _at_lines(model.steps[each] for each in places.list_places(between.own)), True
    steps, alone = _cut_steps(between, model, places)
    able = [each for each in steps if each.writes is not None and node.operator in each.writes]
    nodes = _cut_nodes(body, node, between)
    if len(nodes) > _MOST_BETWEEN or not alone:
        return _at_lines(able), False
    found = align([Item(each) for each in steps], [Token(each.operator) for each in nodes])
    number = found[next(n for n, each in enumerate(nodes) if each is node)]
    if number is None:
        return _at_lines(able), False
    return _at_lines([steps[number], *able]), True


def _cut_steps(
    between: Between, model: FollowedModel, places: LayerPlaces
) -> tuple[Sequence[ModuleStep], bool]:
    """The shortest stretch of operations from the one module to the other, and whether no other is as long."""
    steps = model.steps
    before = places.list_places(between.before) if between.before else [-1]
    after = places.list_places(between.after) if between.after else [len(steps)]
    pairs = [(end - begin, begin) for begin in before for end in after if end > begin]
    length = min(pairs, default=(1, 0))[0]
    found = {
        tuple((each.spots[-1].path, each.row) for each in stretch): stretch
        for size, begin in pairs
        if size == length and (stretch := steps[begin + 1 : begin + length])
    }
    return next(iter(found.values()), ()), len(found) == 1


def _cut_nodes(body: Body, node: OnnxNode, between: Between) -> list[OnnxNode]:
    """The nodes from the one weight to the other, in order."""
    nodes = list(body.ordered)
    places = {id(each): number for number, each in enumerate(nodes)}
    begin = places[id(between.first)] + 1 if between.first else 0
    end = places[id(between.last)] if between.last else len(nodes)
    inside = nodes[begin:end]
    return inside if any(each is node for each in inside) else [node]


def _at_lines(steps: Iterable[ModuleStep]) -> list[ModuleStep]:
    """One for each line."""
    found: dict[tuple[str, int], ModuleStep] = {}
    for each in steps:
        found.setdefault((each.spots[-1].path, each.row), each)
    return list(found.values())
