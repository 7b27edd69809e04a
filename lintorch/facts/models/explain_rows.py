"""What is known of the values of some rows, by the ways in which models lead there."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from lintorch.evaluator.events import Valued
from lintorch.evaluator.start import Reached
from lintorch.evaluator.values import Spot

ReadText = Callable[[Spot], str]
"""What is written at a place, in one row."""


@dataclass(frozen=True)
class ExplainedValue:
    """What an expression, or an assigned name, is worth; several where it is reached more than once."""

    text: str
    assigned: bool
    values: tuple[str, ...]


@dataclass(frozen=True)
class RowContext:
    """What is known at a statement, reached in one way; `times` that it is the same."""

    root: str
    names: tuple[str, ...]
    spots: tuple[Spot, ...]
    row: int
    values: tuple[ExplainedValue, ...]
    times: int = 1


@dataclass(frozen=True)
class Explained:
    """What the models of a file say of rows: the contexts, and the models of which not all was followed.

    `spent`: those that were too long; `failures`: those that a defect of lintorch ended.
    """

    contexts: tuple[RowContext, ...]
    models: tuple[str, ...]
    spent: tuple[str, ...]
    failures: tuple[str, ...]


def list_contexts(reached: Iterable[Reached], read: ReadText) -> Iterator[RowContext]:
    """Each different one once, in the order in which they are reached."""
    turns: dict[tuple[object, ...], list[Valued]] = {}
    for each in reached:
        for event in each.events:
            if isinstance(event, Valued):
                key = event.way.root, event.way.spots, event.row, event.turn
                turns.setdefault(key, []).append(event)
    found: dict[tuple[object, ...], RowContext] = {}
    for events in turns.values():
        context = _make_context(events, read)
        seen = context.root, context.names, context.row, context.values
        same = found.get(seen)
        found[seen] = context if same is None else replace(same, times=same.times + 1)
    yield from sorted(found.values(), key=lambda each: each.row)


def _make_context(events: list[Valued], read: ReadText) -> RowContext:
    """Of one turn; a comprehension in it has names of its own, and is no other way."""
    shown: dict[tuple[Spot, bool], dict[str, None]] = {}
    for event in events:
        assigned = isinstance(getattr(event.node, "ctx", None), ast.Store)
        shown.setdefault((event.spot, assigned), {})[event.shown] = None
    values = {
        ExplainedValue(read(spot), assigned, tuple(texts)): spot
        for (spot, assigned), texts in sorted(shown.items(), key=_document_order)
    }
    way = min((event.way for event in events), key=lambda each: len(each.names))
    return RowContext(way.root, way.names, way.spots, events[0].row, tuple(values))


def _document_order(item: tuple[tuple[Spot, bool], Mapping[str, None]]) -> tuple[int, ...]:
    """What is assigned, then the rest; the whole before its parts."""
    spot, assigned = item[0]
    return (not assigned, spot.row, spot.column, -spot.end_row, -spot.end_column)


def rows_of_statement(tree: ast.Module, row: int) -> range:
    """The rows of the innermost statement that covers a row, or of a compound one's head; empty where none does."""
    found = range(0)
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and node.lineno <= row <= (node.end_lineno or 0):
            rows = range(node.lineno, _end_of_head(node) + 1)
            if row in rows and (not found or len(rows) <= len(found)):
                found = rows
    return found


def list_begins(tree: ast.Module) -> Iterator[tuple[int, int]]:
    """Each row that a statement, or the head of a compound one, goes on in, and the row in which that begins."""
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            yield from ((row, node.lineno) for row in range(node.lineno, _end_of_head(node) + 1))


def _end_of_head(node: ast.stmt) -> int:
    parts: list[ast.AST] = [*getattr(node, "body", ()), *getattr(node, "cases", ())]
    last = node.end_lineno or node.lineno
    return min([last, *(max(node.lineno, _first_row(part) - 1) for part in parts)])


def _first_row(part: ast.AST) -> int:
    if isinstance(part, ast.match_case):
        return part.pattern.lineno
    decorators = getattr(part, "decorator_list", ())
    return min(getattr(each, "lineno", 1) for each in (part, *decorators))


def name_function_at(tree: ast.Module, row: int) -> str:
    """The innermost function or class around a row, by its name in the file; "" at the top."""
    words: list[str] = []
    body: list[ast.stmt] = tree.body
    while True:
        inner = next(
            (n for n in body if n.lineno <= row <= (n.end_lineno or 0) and hasattr(n, "body")), None
        )
        if inner is None:
            return ".".join(words)
        if isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            words.append(inner.name)
        handlers = [s for h in getattr(inner, "handlers", ()) for s in h.body]
        rest = (*getattr(inner, "orelse", ()), *getattr(inner, "finalbody", ()), *handlers)
        body = [*inner.body, *rest] if hasattr(inner, "body") else []
