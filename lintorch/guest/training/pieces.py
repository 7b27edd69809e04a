"""The pieces of a file that can be called by themselves: functions, methods, and loops that stand in none."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

Definition = ast.FunctionDef | ast.AsyncFunctionDef
_OF_MODELS = frozenset({"forward", "__init__", "__new__"})
"""Methods that run as a model is built, or runs."""
_LOOPS = (ast.For, ast.While)
_TRAINS = frozenset({"backward", "step", "zero_grad"})
_MOST_DEEP = 4
"""Functions of the file that call each other, followed so far."""


@dataclass(frozen=True)
class Piece:
    """One of them; `reached` are it and the functions and methods of the file that it calls."""

    qualname: str
    node: ast.stmt
    owner: str
    """The class whose method it is, or ""."""
    reached: tuple[ast.stmt, ...]
    constructor: ast.stmt | None = None
    """`__init__` of that class, where it has one."""

    @property
    def rows(self) -> range:
        """From the first of its rows to the last."""
        return range(self.node.lineno, (self.node.end_lineno or self.node.lineno) + 1)

    @property
    def is_loop(self) -> bool:
        """Whether it stands in no function, so that its names are those of the module."""
        return isinstance(self.node, _LOOPS)

    @property
    def is_of_model(self) -> bool:
        """Whether it is a part of a model, which is run as a whole."""
        return bool(self.owner) and self.qualname.rpartition(".")[2] in _OF_MODELS

    @property
    def trains(self) -> bool:
        """Whether something in it goes backward, or steps."""
        return any(
            isinstance(part, ast.Attribute) and part.attr in _TRAINS
            for each in self.reached
            for part in ast.walk(each)
        )


def list_pieces(tree: ast.Module) -> list[Piece]:
    """All of a file, in their order; loops are named by theirs."""
    functions, methods, loops = _sort_statements(tree.body)
    found = [
        Piece(name, node, "", tuple(_follow_calls(node, functions, {})))
        for name, node in functions.items()
    ]
    for owner, own in methods.items():
        found += [
            Piece(
                f"{owner}.{name}",
                node,
                owner,
                tuple(_follow_calls(node, functions, own)),
                own.get("__init__"),
            )
            for name, node in own.items()
        ]
    found += [
        Piece(f"loop {number}", node, "", tuple(_follow_calls(node, functions, {})))
        for number, node in enumerate(loops, 1)
    ]
    return sorted(found, key=lambda piece: piece.node.lineno)


def find_piece(tree: ast.Module, qualname: str) -> Piece | None:
    """The piece of this name."""
    return next((each for each in list_pieces(tree) if each.qualname == qualname), None)


def _sort_statements(
    body: Iterable[ast.stmt],
) -> tuple[dict[str, ast.stmt], dict[str, dict[str, ast.stmt]], list[ast.stmt]]:
    """Functions by name, methods by class and name, and loops."""
    functions: dict[str, ast.stmt] = {}
    methods: dict[str, dict[str, ast.stmt]] = {}
    loops: list[ast.stmt] = []
    for each in _walk_blocks(body):
        if isinstance(each, ast.FunctionDef):
            functions[each.name] = each
        elif isinstance(each, ast.ClassDef):
            own = (part for part in each.body if isinstance(part, ast.FunctionDef))
            methods[each.name] = {part.name: part for part in own}
        elif isinstance(each, _LOOPS):
            loops.append(each)
    return functions, methods, loops


def _walk_blocks(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements of a module, through branches: also that which asks whether it is run as a script."""
    for each in body:
        yield each
        if isinstance(each, (ast.If, ast.Try, ast.With)):
            yield from _walk_blocks(each.body)
            yield from _walk_blocks(getattr(each, "orelse", ()))


def _follow_calls(
    node: ast.stmt, functions: Mapping[str, ast.stmt], methods: Mapping[str, ast.stmt]
) -> Iterator[ast.stmt]:
    """The node, and what it calls of these, each once."""
    seen, waiting = {node}, [(node, 0)]
    while waiting:
        current, depth = waiting.pop(0)
        yield current
        for part in ast.walk(current) if depth < _MOST_DEEP else ():
            called = part.func if isinstance(part, ast.Call) else None
            found = None
            if isinstance(called, ast.Name):
                found = functions.get(called.id)
            elif isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name):
                found = methods.get(called.attr) if called.value.id == "self" else None
            if found is not None and found not in seen:
                seen.add(found)
                waiting.append((found, depth + 1))
