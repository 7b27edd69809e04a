"""What happens in the models of a file, worked out without running them."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

from lintorch.core.finding import Place
from lintorch.evaluator.code_files import CodeFile, Library
from lintorch.evaluator.events import (
    Baked,
    Called,
    Decided,
    Occurrence,
    Refused,
    Repeated,
)
from lintorch.evaluator.find_baked import find_baked
from lintorch.evaluator.find_code import CodeFinder
from lintorch.evaluator.start import Reached, evaluate_file, evaluate_model
from lintorch.evaluator.values import Constant, Items, Number, Spot, Tensor, Value
from lintorch.evaluator.watch_lines import LineWatch
from lintorch.facts.dataflow.axis_layouts import image_axes
from lintorch.facts.models.attribute_history import Rewrite, trace_attributes
from lintorch.facts.models.explain_rows import Explained, list_contexts
from lintorch.facts.models.node_parents import NodeParents
from lintorch.facts.models.value_ways import ValueWays
from lintorch.facts.names.torch_aliases import documented_name
from lintorch.facts.regions.guards import has_aside_name
from lintorch.facts.training.training_regions import (
    Training,
    imports_framework,
    list_regions,
)


class Evaluation:
    """The roots of one file. Files that are entered, or looked for, are added to `consulted`."""

    def __init__(
        self, path: str, text: str, consulted: set[str], is_exported: Callable[[str], bool]
    ) -> None:
        self._is_exported = is_exported
        self._path, self._text, self._consulted = path, text, consulted
        self._finder = CodeFinder(self._read, looked=self._note_place)
        self._outlines: dict[str, NodeParents] = {}

    def _note_place(self, path: str) -> None:
        self._consulted.add(os.path.abspath(path))

    def _read(self, path: str) -> str | None:
        if path == self._path:
            return self._text
        self._consulted.add(os.path.abspath(path))
        try:
            with open(path, encoding="utf-8", errors="replace") as stream:
                return stream.read()
        except OSError:
            return None

    @cached_property
    def reached(self) -> tuple[Reached, ...]:
        """What each root of the file came to."""
        file = self._finder.open_file(self._path)
        if file is None:
            return ()
        return tuple(evaluate_file(self._make_library(), file, self._is_exported))

    def follow_model(self, name: str) -> tuple[Occurrence, ...]:
        """What happens in one model of the file by itself, built as nothing else builds it."""
        file = self._finder.open_file(self._path)
        if file is None:
            return ()
        return evaluate_model(self._make_library(), file, name, self._is_exported).events

    def explain_rows(self, path: str, rows: Mapping[int, int]) -> Explained:
        """What values in rows of a file are, as the models of this one lead there: evaluated anew for it."""
        file = self._finder.open_file(self._path)
        library = replace(self._make_library(), watch=LineWatch(path, rows))
        of_models = partial(evaluate_file, library, is_exported=self._is_exported, loose=False)
        reached = () if file is None else tuple(of_models(file))
        return Explained(
            tuple(list_contexts(reached, self.text)),
            tuple(each.name for each in reached),
            tuple(each.name for each in reached if each.spent),
            tuple(each.name for each in reached if each.failure is not None),
        )

    def _make_library(self) -> Library:
        find = self._finder.find_callers
        return Library(self._find, documented_name, has_aside_name, image_axes, find)

    def _find(self, dotted: str, importer: CodeFile) -> CodeFile | None:
        found = self._finder.find_module(dotted, importer)
        own = os.path.abspath(self._path)
        if found is not None and os.path.abspath(found.path) == own:
            return self._finder.open_file(self._path)
        return found

    @cached_property
    def _baked(self) -> tuple[tuple[Baked, ...], ...]:
        """For each root the sizes that become plain numbers."""
        return tuple(tuple(find_baked(reached.events)) for reached in self.reached)

    @cached_property
    def words(self) -> frozenset[str]:
        """The names, attributes and texts of the code; what comments say does not count."""
        file = self._finder.open_file(self._path)
        return frozenset() if file is None else frozenset(_list_words(file.tree))

    @cached_property
    def training(self) -> Training:
        """What the file does to train models, in all roots.

        Nothing where a framework is imported that steps, scales or clears on its own.
        """
        file = self._finder.open_file(self._path)
        if file is None or imports_framework(file):
            return Training(())
        return Training(
            tuple(
                region
                for reached in self.reached
                for region in list_regions(
                    reached.events, reached.spent or reached.failure is not None
                )
            )
        )

    def list_events(self, keys: Container[Any]) -> Iterator[tuple[Any, Occurrence | Training]]:
        """What happened whose class, or whose called function's name, is wanted; each place once."""
        if Training in keys and self.training.regions:
            yield Training, self.training
        for reached, found in zip(self.reached, self._baked, strict=True):
            if Baked in keys:
                for baked in found:
                    yield Baked, baked
            for event in reached.events:
                if type(event) in keys:
                    yield type(event), event
                if isinstance(event, Called) and event.name in keys:
                    yield event.name, event

    @cached_property
    def ways(self) -> ValueWays:
        """Which operations gave which values."""
        return ValueWays(event for reached in self.reached for event in reached.events)

    @cached_property
    def rewrites(self) -> Mapping[int, Rewrite]:
        """Writes of forwards to attributes that their objects had before."""
        return trace_attributes(reached.events for reached in self.reached)

    def is_dropped(self, event: Occurrence) -> bool:
        """Whether what a call gives is used by nobody: it is a statement by itself."""
        return self._find_outline(event).is_statement(event.node)

    def find_function(self, event: Occurrence) -> ast.AST | None:
        """The function in which something is written; None at the top of a file."""
        return self._find_outline(event).find_function(event.node)

    def list_around(self, event: Occurrence) -> Iterator[ast.AST]:
        """The nodes around the one at which something happened, innermost first."""
        return self._find_outline(event).list_around(event.node)

    def _find_outline(self, event: Occurrence) -> NodeParents:
        path = event.spot.path
        if path not in self._outlines:
            file = self._finder.open_file(path)
            self._outlines[path] = NodeParents(ast.Module([], []) if file is None else file.tree)
        return self._outlines[path]

    @cached_property
    def called(self) -> frozenset[tuple[int, str]]:
        """Rows of the file where something foreign is called in a forward pass, with the last part of its name."""
        return frozenset(
            (event.spot.row, event.name.removesuffix(".forward").rpartition(".")[2])
            for reached in self.reached
            for event in reached.events
            if isinstance(event, Called) and event.way.forward and event.spot.path == self._path
        )

    @cached_property
    def decided_rows(self) -> frozenset[int]:
        """Rows of the file at which a forward pass asked a condition of which it is known if it varies."""
        return frozenset(
            event.spot.row
            for reached in self.reached
            for event in reached.events
            if isinstance(event, Decided)
            and event.way.forward
            and event.spot.path == self._path
            and _is_understood(event)
        )

    @cached_property
    def repeated_rows(self) -> frozenset[int]:
        """Rows of the file at which a forward pass goes over something of which the length is known to vary or not."""
        return frozenset(
            event.spot.row
            for reached in self.reached
            for event in reached.events
            if isinstance(event, Repeated)
            and event.way.forward
            and event.spot.path == self._path
            and _has_length(event.over)
        )

    @cached_property
    def refused_rows(self) -> frozenset[int]:
        """Rows of the file at which shapes surely raise, and of the layers that raise."""
        return frozenset(
            spot.row
            for reached in self.reached
            for event in reached.events
            if isinstance(event, Refused) and event.founded and event.way.certain
            for spot in (event.spot, event.made)
            if spot is not None and spot.path == self._path
        )

    @cached_property
    def fixed_rows(self) -> frozenset[int]:
        """Rows of the file where built-in functions are called with numbers that never vary, and no others."""
        fixed: dict[int, bool] = {}
        for reached in self.reached:
            for event in reached.events:
                if not isinstance(event, Called) or event.name.partition(".")[0] not in _PLAIN:
                    continue
                if event.way.forward and event.spot.path == self._path:
                    row = event.spot.row
                    fixed[row] = fixed.get(row, True) and all(map(_is_fixed, event.positional))
        return frozenset(row for row, always in fixed.items() if always)

    @cached_property
    def baked_rows(self) -> frozenset[int]:
        """Rows of the file where a size becomes a plain number on its way into an operator."""
        found = (each for of_root in self._baked for each in of_root)
        return frozenset(e.spot.row for e in found if e.varies and e.spot.path == self._path)

    @cached_property
    def weighed_rows(self) -> frozenset[int]:
        """Rows of the file of which it is known whether a size becomes a plain number there."""
        return self.fixed_rows | self.baked_rows

    def answers(self, row: int) -> frozenset[bool]:
        """How the conditions in a row of the file were answered, in all models that asked them."""
        return self._answers.get(row, frozenset())

    @cached_property
    def _answers(self) -> dict[int, frozenset[bool]]:
        found: dict[int, frozenset[bool]] = {}
        for event in (event for reached in self.reached for event in reached.events):
            here = isinstance(event, Decided) and event.spot.path == self._path
            if here and isinstance(event, Decided) and event.kind == "if":
                given = frozenset() if event.answer is None else frozenset({event.answer})
                found[event.spot.row] = found.get(event.spot.row, frozenset()) | given
        return found

    def text(self, spot: Spot) -> str:
        """What is written there, in one row."""
        file = self._finder.open_file(spot.path)
        rows = file.lines[spot.row - 1 : spot.end_row] if file is not None else ()
        if not rows:
            return ""
        encoded = [row.encode(errors="surrogatepass") for row in rows]
        encoded[-1] = encoded[-1][: spot.end_column]
        encoded[0] = encoded[0][spot.column :]
        return " ".join(row.decode(errors="ignore").strip() for row in encoded)

    def place(self, spot: Spot) -> Place:
        """Where a spot stands, columns in characters."""
        file = self._finder.open_file(spot.path)
        lines = file.lines if file is not None else ()
        return Place(
            spot.path,
            spot.row,
            _count_characters(lines, spot.row, spot.column) + 1,
            spot.end_row,
            _count_characters(lines, spot.end_row, spot.end_column) + 1,
        )


def _list_words(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _is_understood(event: Decided) -> bool:
    test = event.test
    known = isinstance(test, Number) and (test.varies is not None or test.data)
    return event.answer is not None or known


def _has_length(over: Value) -> bool:
    """Whether it is known if the length of what a loop goes over varies."""
    if isinstance(over, Items):
        return over.items is not None or (
            over.length is not None and over.length.varies is not None
        )
    return isinstance(over, Tensor) and bool(over.shape)


_PLAIN = frozenset({"int", "float", "len", "max", "min", "round", "math", "divmod", "numpy"})


def _is_fixed(value: Value) -> bool:
    if isinstance(value, Items):
        return value.items is not None and all(map(_is_fixed, value.items))
    return isinstance(value, Constant) or (isinstance(value, Number) and value.varies is False)


def _count_characters(lines: tuple[str, ...], row: int, column: int) -> int:
    """Characters before a column that is counted in bytes of UTF-8."""
    line = lines[row - 1] if 0 < row <= len(lines) else ""
    if line.isascii():
        return column
    return len(line.encode(errors="surrogatepass")[:column].decode(errors="ignore"))
