"""Which operation of a model's source a node was made of, by its name, its neighbours and the order of both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from lintorch.facts.models.module_steps import ModuleStep
from lintorch.facts.models.onnx_writes import HELPERS
from lintorch.onnx_file import Body, OnnxNode
from lintorch.run.align_nodes import Item, Token, align
from lintorch.run.find_followed import FoundModel
from lintorch.run.module_scopes import Scope, read_scope

_MOST_COUNTED = 300


@dataclass(frozen=True)
class Placed:
    """The steps that may have made a node, the likeliest first; `sure`: no other line may have.

    `module` is the path of the module it runs in, `through` the node whose step it is, where it is
    another's: one that takes what the node computes.
    """

    steps: tuple[ModuleStep, ...] = ()
    sure: bool = False
    module: str | None = None
    through: OnnxNode | None = None
    found: bool = True
    """Whether the order of the graph and that of the source agree on the first step."""


class NodePlacer:
    """Places the nodes of one body in one model."""

    def __init__(self, body: Body, found: FoundModel) -> None:
        self._body, self._found = body, found
        self._model, self._scopes = found.model, found.scopes
        self._aligned: dict[str, dict[int, ModuleStep]] = {}

    def place(self, node: OnnxNode) -> Placed:
        """The steps of a node; of one that computes sizes those of the first node that takes them."""
        placed = self._place_itself(node)
        if placed.steps or node.operator not in HELPERS:
            return placed
        for taker in self._body.list_takers(node):
            other = self._place_itself(taker)
            if other.steps:
                return Placed(other.steps, False, placed.module or other.module, taker)
        return placed

    def count_placed(self) -> float:
        """The share of nodes, those apart that only compute sizes, that stand where the source has them."""
        nodes = [each for each in self._body.graph.nodes if each.operator not in HELPERS]
        placed = [self._place_itself(each) for each in nodes[:_MOST_COUNTED]]
        return sum(each.found for each in placed) / max(len(placed), 1)

    def list_together(self, node: OnnxNode, placed: Placed) -> tuple[OnnxNode, ...]:
        """Other nodes of the same scope whose likeliest line is the same."""
        line = _line_of(placed.steps[0])
        others = (each for each in self._list_in_scope(node) if each is not node)
        return tuple(
            each
            for each in others
            if (steps := self.place(each).steps) and _line_of(steps[0]) == line
        )

    def find_module(self, node: OnnxNode) -> str | None:
        """The path of the module that a node's name tells."""
        scope = self._read_scope(node)
        return None if scope is None else self._scopes.find_scope(scope)

    def _read_scope(self, node: OnnxNode) -> Scope | None:
        scope, prefix = read_scope(node.name), self._found.prefix
        if scope is not None and scope[: len(prefix)] == prefix:
            return scope[len(prefix) :]
        return None if prefix else scope

    def _place_itself(self, node: OnnxNode) -> Placed:
        path = self.find_module(node)
        held = None if path is None else self._model.parts.get(path)
        if path is None or held is None:
            return Placed(found=False)
        if self._model.name_class(path).startswith("torch."):
            return self._place_in_layer(node, path, held.address)
        return self._place_in_module(node, path, held.address)

    def _place_in_layer(self, node: OnnxNode, path: str, address: int) -> Placed:
        """The calls of a layer in the module that has it; which one, by the number among its nodes."""
        steps = [each for each in self._model.steps if each.modules[-1] == address]
        around = [self._model.parts[each].address for each in _list_around(path)]
        near = next((a for a in around if any(a in each.modules[:-1] for each in steps)), None)
        steps = [each for each in steps if near is None or near in each.modules[:-1]]
        steps = [each for each in steps if each.run == steps[0].run]
        name = next((atom for atom in reversed(path.split(".")) if not atom.isdecimal()), "")
        steps = [each for each in steps if each.attribute == name] or steps
        if len({_line_of(each) for each in steps}) < 2:
            return Placed(tuple(steps[:1]), True, path)
        turn = self._find_turn(node)
        if self._is_numbered(node) and turn < len(steps):
            return Placed(_put_first(steps[turn], steps), False, path)
        alike = [each for each in self._list_in_scope(node) if each.operator == node.operator]
        index = next(n for n, each in enumerate(alike) if each is node)
        if len(alike) % len(steps) == 0:
            chosen = steps[index * len(steps) // len(alike)]
            return Placed(_put_first(chosen, steps), False, path)
        return Placed(_put_first(steps[0], steps), False, path)

    def _find_turn(self, node: OnnxNode) -> int:
        return self._scopes.find_turn(self._read_scope(node) or ())

    def _is_numbered(self, node: OnnxNode) -> bool:
        """Whether calls of its module are told apart by a number in the scope."""
        scope = self._read_scope(node) or ("",)
        return self._find_turn(node) > 0 or (*scope[:-1], f"{scope[-1]}_1") in self._by_scope

    @cached_property
    def _by_scope(self) -> dict[Scope | None, list[OnnxNode]]:
        found: dict[Scope | None, list[OnnxNode]] = {}
        for node in self._body.ordered:
            found.setdefault(self._read_scope(node), []).append(node)
        return found

    def _list_in_scope(self, node: OnnxNode) -> list[OnnxNode]:
        return self._by_scope.get(self._read_scope(node), [])

    def _place_in_module(self, node: OnnxNode, path: str, address: int) -> Placed:
        run = self._list_run(address, self._find_turn(node))
        own = [each for each in run if each.modules[-1] == address]
        able = [each for each in own if each.writes is None or node.operator in each.writes]
        chosen = self._align(node, path, address, run).get(id(node))
        if chosen is None:
            first = next(iter(able), None)
            known = first is not None and node.operator not in HELPERS
            steps = _put_first(first, able) if first and known else ()
            return Placed(steps, False, path, found=False)
        sure = len({_line_of(each) for each in able}) < 2 and node.operator not in HELPERS
        return Placed(_put_first(chosen, able), sure, path)

    def _list_run(self, address: int, turn: int) -> list[ModuleStep]:
        """A pass through a module, the first by default, the passes through those in it included."""
        steps = [each for each in self._model.steps if address in each.modules]
        passes = list(dict.fromkeys(each.run for each in steps if each.modules[-1] == address))
        if not passes:
            return steps
        own = passes[turn] if turn < len(passes) else passes[0]
        first = next(each for each in steps if each.run == own)
        depth = first.modules.index(address)
        begun = first.spots[: depth + 1]
        end = max(number for number, each in enumerate(steps) if each.run == own)
        before = max(
            (
                n
                for n, each in enumerate(steps)
                if n < end and each.run in passes and each.run < own
            ),
            default=-1,
        )
        within = steps[before + 1 : end + 1]
        return [each for each in within if each.run == own or each.spots[: depth + 1] == begun]

    def _align(
        self, node: OnnxNode, path: str, address: int, run: Sequence[ModuleStep]
    ) -> dict[int, ModuleStep]:
        scope = self._read_scope(node) or ()
        key = "/".join(scope)
        if key not in self._aligned:
            self._aligned[key] = dict(self._match(scope, address, run))
        return self._aligned[key]

    def _match(
        self, scope: Scope, address: int, run: Sequence[ModuleStep]
    ) -> Iterator[tuple[int, ModuleStep]]:
        items = list(_list_items(run, address, self._names))
        nodes = list(self._list_tokens(scope))
        groups = [(token, [n for _, n in each]) for token, each in groupby(nodes, lambda n: n[0])]
        flat: list[tuple[Token, list[OnnxNode]]] = []
        for token, group in groups:
            flat += [(token, group)] if token.inner else [(token, [each]) for each in group]
        for number, (token, group) in zip(align(items, [t for t, _ in flat]), flat, strict=True):
            if number is not None and not token.inner:
                yield id(group[0]), items[number].step

    def _list_tokens(self, scope: Scope) -> Iterator[tuple[Token, OnnxNode]]:
        for node in self._body.ordered:
            own = self._read_scope(node)
            if own is None or own[: len(scope)] != scope:
                continue
            yield Token(node.operator, own[len(scope)] if len(own) > len(scope) else ""), node

    @cached_property
    def _names(self) -> dict[int, frozenset[str]]:
        """By address, what a module may be called in a scope."""
        found: dict[int, set[str]] = {}
        for path, held in self._model.parts.items():
            atoms = path.split(".")
            start = max((n for n, atom in enumerate(atoms) if not atom.isdecimal()), default=0)
            found.setdefault(held.address, set()).add(".".join(atoms[start:]))
        return {address: frozenset(names) for address, names in found.items()}


def _list_items(
    run: Sequence[ModuleStep], address: int, names: dict[int, frozenset[str]]
) -> Iterator[Item]:
    """Steps of the module itself, and each module that it calls once."""

    def inner_of(step: ModuleStep) -> tuple[int, int]:
        after = step.modules[step.modules.index(address) + 1 :]
        return (after[0], step.run) if after else (0, id(step))

    for (inner, _), steps in groupby(run, inner_of):
        yield Item(next(steps), names.get(inner, frozenset()) if inner else frozenset())


def _list_around(path: str) -> Iterator[str]:
    atoms = path.split(".")
    yield from (".".join(atoms[:end]) for end in range(len(atoms) - 1, -1, -1))


def _put_first(chosen: ModuleStep, steps: Sequence[ModuleStep]) -> tuple[ModuleStep, ...]:
    """The chosen one, then those at other lines."""
    others = {_line_of(each): each for each in steps if _line_of(each) != _line_of(chosen)}
    return (chosen, *others.values())


def _line_of(step: ModuleStep) -> tuple[str, int]:
    return step.spots[-1].path, step.row
