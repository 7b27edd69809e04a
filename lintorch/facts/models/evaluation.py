"""What happens in the models of a file, worked out without running them."""

from __future__ import annotations

import ast
import os
import re
from collections import defaultdict
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

from lintorch.core.file_views import read_bytes
from lintorch.core.finding import Place
from lintorch.evaluator.budget import BRIEF
from lintorch.evaluator.code_files import CodeFile, Library
from lintorch.evaluator.events import (
    AttributeSet,
    Baked,
    Called,
    DataRead,
    Decided,
    Occurrence,
    Repeated,
    Returned,
)
from lintorch.evaluator.exporters import EVERYONE
from lintorch.evaluator.find_baked import find_baked
from lintorch.evaluator.find_code import CodeFinder
from lintorch.evaluator.roots import list_classes, list_factories
from lintorch.evaluator.start import Reached, evaluate_file, evaluate_model
from lintorch.evaluator.values import Items, Spot, Unknown, Value
from lintorch.evaluator.watch_calls import CallWatch
from lintorch.evaluator.watch_heap import HeapWatch
from lintorch.evaluator.watch_lines import LineWatch
from lintorch.facts.models.attribute_history import Rewrite, list_passing, trace_attributes
from lintorch.facts.models.autocast_types import AutocastTypes
from lintorch.facts.models.backward_passes import (
    changes_weights,
    is_backward_pass,
    list_given,
)
from lintorch.facts.models.cut_gradients import CutGradients
from lintorch.facts.models.entered_values import EnteredValues
from lintorch.facts.models.explain_rows import Explained, list_begins, list_contexts
from lintorch.facts.models.frozen_weights import may_freeze
from lintorch.facts.models.gradient_graphs import GradientGraphs
from lintorch.facts.models.graph_uses import GraphUses
from lintorch.facts.models.image_axes import image_axes
from lintorch.facts.models.known_rows import KnownRows
from lintorch.facts.models.loops_around import LOOPS, FileLoops, Loop, is_within, list_places
from lintorch.facts.models.module_steps import FollowedModel, find_root, list_steps
from lintorch.facts.models.node_parents import DEFINITIONS, NodeParents, find_parents
from lintorch.facts.models.operation_steps import OperationSteps
from lintorch.facts.models.value_ways import ValueWays, is_common
from lintorch.facts.names.torch_aliases import documented_name
from lintorch.facts.regions.guards import has_aside_name
from lintorch.facts.training.loader_loops import LoaderRead, is_chosen, list_loader_loops
from lintorch.facts.training.told_parts import ToldParts
from lintorch.facts.training.training_regions import (
    Training,
    imports_framework,
    list_regions,
)
from lintorch.syntax.python_ast import list_nodes

_FRAMEWORKS = re.compile(
    r"^\s*(import|from) (paddle|mindspore|jittor|oneflow|mxnet|tensorflow|keras|jax|flax|chainer)\b",
    re.M,
)
"""Imports of frameworks whose models and optimizers have methods of the same names."""
_TORCH = re.compile(r"^\s*(import|from) [\w., ]*torch", re.M)


class Evaluation:
    """The roots of one file. Files that are entered, or looked for, are added to `consulted`."""

    def __init__(
        self,
        path: str,
        text: str,
        consulted: set[str],
        is_exported: Callable[[str], bool],
        brief: bool = False,
    ) -> None:
        """`brief` follows models less far, for somebody who waits."""
        self._budget = BRIEF if brief else None
        self._is_exported = is_exported
        self._path, self._text, self._consulted = path, text, consulted
        self._finder = CodeFinder(self._read, looked=self._note_place)
        self._outlines: dict[str, NodeParents] = {}
        self._loops: dict[str, FileLoops] = {}
        self._begins: dict[str, dict[int, int]] = {}

    def may_be_exported(self, name: str) -> bool:
        """Whether the forward of a class of the file may be: it is no loss, no augmentation."""
        return self._is_exported(name)

    def _note_place(self, path: str) -> None:
        self._consulted.add(os.path.abspath(path))

    def _read(self, path: str) -> str | None:
        if path == self._path:
            return self._text
        self._consulted.add(os.path.abspath(path))
        try:
            text = read_bytes(path).decode("utf-8", errors="replace")
            return text.replace("\r\n", "\n").replace("\r", "\n")
        except OSError:
            return None

    @cached_property
    def reached(self) -> tuple[Reached, ...]:
        """What each root of the file came to; nothing where it is written for another framework."""
        file = self._finder.open_file(self._path)
        if file is None or is_of_other_framework(file.text):
            return ()
        return tuple(evaluate_file(self._make_library(), file, self._is_exported, self._budget))

    def follow_model(self, name: str) -> tuple[Occurrence, ...]:
        """What happens in one model of the file by itself, built as nothing else builds it."""
        file = self._finder.open_file(self._path)
        if file is None:
            return ()
        return evaluate_model(self._make_library(), file, name, self._is_exported).events

    def explain_rows(self, path: str, rows: Mapping[int, int], alone: bool = False) -> Explained:
        """What values in rows of a file are, as the models of this one lead there: evaluated anew for it.

        `alone`: functions that nothing calls count, too, by themselves.
        """
        file = self._finder.open_file(self._path)
        library = replace(self._make_library(), watch=LineWatch(path, rows))
        of_models = partial(evaluate_file, library, is_exported=self._is_exported, loose=alone)
        reached = () if file is None else tuple(of_models(file))
        return Explained(
            tuple(list_contexts(reached, self.text)),
            tuple(each.name for each in reached),
            tuple(each.name for each in reached if each.spent),
            tuple(each.name for each in reached if each.failure is not None),
        )

    def list_models(self) -> dict[str, frozenset[str]]:
        """Functions that make models, then classes that may be some, each with the words of its code.

        Those of a function are the words of the classes that it names, too.
        """
        file = self._finder.open_file(self._path)
        if file is None:
            return {}
        body = {n.name: n for n in file.tree.body if isinstance(n, (ast.ClassDef, ast.FunctionDef))}
        words = {name: frozenset(_list_words(node)) for name, node in body.items()}
        classes = list_classes(file)
        found = {name: words[name] for name in classes}
        for name in list_factories(file):
            inner = (found[each] for each in classes if each in words.get(name, ()))
            found[name] = words.get(name, frozenset()).union(*inner)
        return {name: found[name] for name in (*list_factories(file), *classes)}

    def follow_modules(self, name: str, exporter: str, opset: int) -> FollowedModel | None:
        """The modules and operations of one model of the file; None where it cannot be built."""
        file, watch = self._finder.open_file(self._path), HeapWatch()
        if file is None:
            return None
        library = replace(self._make_library(), watch=watch)
        reached = evaluate_model(library, file, name, self._is_exported)
        root = find_root(reached.events)
        if root is None:
            return None
        steps = tuple(list_steps(reached.events, exporter, opset, self._begin_statement))
        return FollowedModel(name, dict(watch.list_parts(root)), steps, reached.spent)

    def _begin_statement(self, spot: Spot) -> int:
        """The row in which the statement at a place begins."""
        if spot.path not in self._begins:
            file = self._finder.open_file(spot.path)
            self._begins[spot.path] = {} if file is None else dict(list_begins(file.tree))
        return self._begins[spot.path].get(spot.row, spot.row)

    def follow_calls(self) -> tuple[Reached, ...]:
        """What each model of the file comes to, with the calls of which nothing is known: evaluated anew."""
        file = self._finder.open_file(self._path)
        library = replace(self._make_library(), watch=CallWatch())
        if file is None:
            return ()
        return tuple(evaluate_file(library, file, self._is_exported, loose=False))

    def _make_library(self) -> Library:
        find = self._finder.find_callers, self._finder.find_readers
        return Library(self._find, documented_name, has_aside_name, image_axes, *find)

    def _find(self, dotted: str, importer: CodeFile) -> CodeFile | None:
        found = self._finder.find_module(dotted, importer)
        own = os.path.abspath(self._path)
        if found is not None and os.path.abspath(found.path) == own:
            return self._finder.open_file(self._path)
        return found

    @cached_property
    def _baked(self) -> tuple[tuple[Baked | DataRead, ...], ...]:
        """For each root the sizes and the data that become plain numbers."""
        return tuple(tuple(find_baked(reached.events)) for reached in self.reached)

    @cached_property
    def words(self) -> frozenset[str]:
        """The names, attributes and texts of the code; what comments say does not count."""
        file = self._finder.open_file(self._path)
        return frozenset() if file is None else frozenset(_list_words(file.tree))

    @cached_property
    def freezes(self) -> bool:
        """Whether the code may keep weights from their gradients."""
        file = self._finder.open_file(self._path)
        return file is not None and may_freeze(file.tree)

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
                if reached.ordered
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
            for baked in found:
                if type(baked) in keys:
                    yield type(baked), baked
            for event in reached.events:
                kind = type(event)
                if kind in keys:
                    yield kind, event
                if kind is Called and event.name in keys:  # type: ignore[attr-defined]
                    yield event.name, event  # type: ignore[attr-defined]

    @cached_property
    def ways(self) -> ValueWays:
        """Which operations gave which values."""
        return ValueWays(event for reached in self.reached for event in reached.events)

    @cached_property
    def entered(self) -> EnteredValues:
        """What functions were given and gave back."""
        return EnteredValues(event for reached in self.reached for event in reached.events)

    @cached_property
    def uses(self) -> GraphUses:
        """Which values end in what a model computes."""
        events = (event for reached in self.reached for event in reached.events)
        return GraphUses(events, self.ways, self.is_dropped)

    @cached_property
    def steps(self) -> OperationSteps:
        """What tensors went through."""
        return OperationSteps(self._path, self.reached, self.ways)

    @cached_property
    def rewrites(self) -> Mapping[int, Rewrite]:
        """Writes of forwards to attributes that their objects had before."""
        return trace_attributes(reached.events for reached in self.reached)

    @cached_property
    def passing(self) -> frozenset[int]:
        """The addresses of objects that forwards make anew at each call."""
        return list_passing(reached.events for reached in self.reached)

    def list_before(self, event: Occurrence) -> tuple[Occurrence, ...]:
        """What happens before an event of one root."""
        for reached in self.reached:
            for index, each in enumerate(reached.events):
                if each is event:
                    return reached.events[:index]
        return ()

    def list_after(self, event: Occurrence) -> tuple[Occurrence, ...]:
        """What happens after an event of one root."""
        for reached in self.reached:
            for index, each in enumerate(reached.events):
                if each is event:
                    return reached.events[index + 1 :]
        return ()

    def list_between(self, first: Occurrence, last: Occurrence) -> tuple[Occurrence, ...]:
        """What happens between two events of one root."""
        for reached in self.reached:
            places = {id(each): index for index, each in enumerate(reached.events)}
            if id(first) in places and id(last) in places:
                return reached.events[places[id(first)] + 1 : places[id(last)]]
        return ()

    @cached_property
    def reached_rows(self) -> frozenset[int]:
        """The rows of the file in which anything happens."""
        events = (event for reached in self.reached for event in reached.events)
        return frozenset(e.spot.row for e in events if e.spot.path == self._path)

    def is_reached(self, place: Place) -> bool:
        """Whether a statement was followed: anything happens in its rows."""
        return not self.reached_rows.isdisjoint(range(place.row, place.end_row + 1))

    @cached_property
    def forward_rows(self) -> frozenset[int]:
        """Those of them that are a part of a forward pass."""
        events = (event for reached in self.reached for event in reached.events)
        return frozenset(e.spot.row for e in events if e.way.forward and e.spot.path == self._path)

    @cached_property
    def replaced_forwards(self) -> bool:
        """Whether anything is assigned to a `forward` from outside of its class."""
        events = (event for reached in self.reached for event in reached.events)
        return any(isinstance(e, AttributeSet) and e.attribute == "forward" for e in events)

    def find_returns(self, value: Value) -> Sequence[Returned]:
        """Where a model gave back a value, by itself or among others."""
        return () if is_common(value) else self._returns.get(id(value), ())

    @cached_property
    def _returns(self) -> Mapping[int, list[Returned]]:
        found: dict[int, list[Returned]] = defaultdict(list)
        for reached in self.reached:
            for event in (each for each in reached.events if isinstance(each, Returned)):
                for value in _list_parts(event.value):
                    found[id(value)].append(event)
        return found

    def find_position(self, event: Occurrence) -> int:
        """Where an event stands among all that happened, in order."""
        return self._positions[id(event)]

    @cached_property
    def _positions(self) -> Mapping[int, int]:
        events = (event for reached in self.reached for event in reached.events)
        return {id(event): number for number, event in enumerate(events)}

    def is_dropped(self, event: Occurrence) -> bool:
        """Whether what a call gives is used by nobody: it is a statement by itself."""
        file = self._finder.open_file(event.spot.path)
        rows = () if file is None else file.lines[event.spot.row - 1 : event.spot.row]
        begin = b"".join(row.encode(errors="surrogatepass")[: event.spot.column] for row in rows)
        if begin.strip() and not begin.rstrip().endswith((b";", b":")):
            return False
        return self._find_outline(event).is_statement(event.node)

    def find_function(self, event: Occurrence) -> ast.AST | None:
        """The function in which something is written; None at the top of a file."""
        return self._find_outline(event).find_function(event.node)

    def find_making(self, run: Called) -> Occurrence | None:
        """The call that made the layer of which this is a run."""
        return None if run.built is None else self.find_written(run.built, run)

    def find_written(self, spot: Spot, event: Occurrence) -> Occurrence | None:
        """The call that is written at a place which an event speaks of; None where none is."""
        made = Occurrence(event.node, spot, event.way)
        ends = spot.row, spot.column, spot.end_row, spot.end_column
        node = self._find_outline(made).find_call(*ends)
        return None if node is None else replace(made, node=node)

    def list_around(self, event: Occurrence) -> Iterator[ast.AST]:
        """The nodes around the one at which something happened, innermost first."""
        return self._find_outline(event).list_around(event.node)

    def list_following(self, event: Decided) -> list[ast.stmt]:
        """The statements behind a branch in its block."""
        blocks = [getattr(each, "body", ()) for each in self.list_around(event)]
        lines = next((b for b in blocks if isinstance(b, list) and event.branch in b), [])
        return lines[lines.index(event.branch) + 1 :] if event.branch in lines else []

    def list_all_around(self, event: Occurrence) -> Iterator[ast.AST]:
        """The nodes around it, and around the calls that led there."""
        yield from self.list_around(event)
        for spot in event.way.spots:
            call = Occurrence(event.node, spot, event.way)
            outline = self._find_outline(call)
            node = outline.find_call(spot.row, spot.column, spot.end_row, spot.end_column)
            yield from () if node is None else outline.list_around(node)

    def list_loops(self, event: Occurrence) -> Iterator[Loop]:
        """The loops in which something happens, innermost first; those around the calls that led there too."""
        for spot in list_places(event):
            if spot.path not in self._loops:
                file = self._finder.open_file(spot.path)
                self._loops[spot.path] = FileLoops(
                    ast.Module([], []) if file is None else file.tree
                )
            yield from self._loops[spot.path].list_around(spot)

    def find_loop(self, event: Occurrence) -> Loop | None:
        """The innermost loop of the same function whose turns something belongs to."""
        for outer in self.list_around(event):
            if isinstance(outer, (*DEFINITIONS, ast.Lambda)):
                return None
            if isinstance(outer, LOOPS) and is_within(outer, event.spot):
                return outer
        return None

    def is_now_and_then(self, event: Occurrence) -> bool:
        """Whether a condition stands between it and its loop: `if step % 100 == 0`."""
        loop = self.find_loop(event)
        for outer in self.list_around(event):
            if outer is loop:
                return False
            if isinstance(outer, (ast.If, ast.IfExp)):
                return True
        return False

    @cached_property
    def training_loops(self) -> frozenset[ast.AST]:
        """The loops in which a backward pass runs."""
        return frozenset(loop for event in self._backward_passes for loop in self.list_loops(event))

    def _trains(self, read: Repeated) -> bool:
        """Whether a backward pass runs in a loop as it is come to there: not where `run(loader, train=False)` does."""
        depth = len(read.way.spots)
        return any(
            event.way.root == read.way.root
            and event.way.spots[:depth] == read.way.spots
            and any(loop is read.loop for loop in self.list_loops(event))
            for event in self._backward_passes
        )

    @cached_property
    def _backward_passes(self) -> tuple[Occurrence, ...]:
        events = (event for reached in self.reached for event in reached.events)
        return tuple(filter(is_backward_pass, events))

    @cached_property
    def step_loops(self) -> frozenset[ast.AST]:
        """Those of them of which each turn is a step: no other loop stands between."""
        events = (event for reached in self.reached for event in reached.events)
        inner = (next(self.list_loops(e), None) for e in events if is_backward_pass(e))
        return frozenset(filter(None, inner))

    def list_reads(self, made: Called) -> tuple[LoaderRead, ...]:
        """The loops over what a call of DataLoader gave."""
        events = (event for reached in self.reached for event in reached.events)
        return tuple(
            LoaderRead(
                each,
                each.loop is not None and self._trains(each) and not is_chosen(each.loop),
                any(loop is not each.loop for loop in self.list_loops(each)),
            )
            for each in list_loader_loops(events, made, self.ways.find_maker)
        )

    def list_within(self, read: Repeated) -> Iterator[Occurrence]:
        """What happens in the turns of a loop, in the function in which it stands."""
        for reached in self.reached:
            for event in reached.events:
                if event.way.root == read.way.root and self.find_loop(event) is read.loop:
                    yield event

    def list_calls_at(self, spot: Spot) -> Iterator[Called]:
        """What a call calls, in whatever way it is reached."""
        for reached in self.reached:
            yield from (e for e in reached.events if isinstance(e, Called) and e.spot == spot)

    def list_exporters(self, event: Occurrence) -> frozenset[str]:
        """Who comes to an event, and to the calls at its place: a number that was read is told where it is used."""
        root = event.way.root
        if root not in self._asking:
            return event.way.exporters
        calls = [each for each in self.list_calls_at(event.spot) if each.way.root == root]
        alike = [each for each in calls if each.way.forward is event.way.forward]
        known = [
            each for each in alike if any(not isinstance(v, Unknown) for v in each.positional)
        ] or alike
        ways = [each.way.exporters for each in known]
        return event.way.exporters & frozenset().union(*ways) if ways else event.way.exporters

    @cached_property
    def _asking(self) -> frozenset[str]:
        """The roots whose code asks who runs it."""
        told = (each for reached in self.reached for each in reached.events)
        return frozenset(each.way.root for each in told if each.way.exporters != EVERYONE)

    def list_repeated(self, root: str) -> tuple[Repeated, ...]:
        """The loops of one root, as they were begun."""
        return self._repeated.get(root, ())

    @cached_property
    def _repeated(self) -> Mapping[str, tuple[Repeated, ...]]:
        found: dict[str, list[Repeated]] = defaultdict(list)
        for reached in self.reached:
            for event in reached.events:
                if isinstance(event, Repeated):
                    found[event.way.root].append(event)
        return {root: tuple(events) for root, events in found.items()}

    @cached_property
    def training_rows(self) -> frozenset[int]:
        """Where loops begin in this file in which a backward pass runs."""
        file = self._finder.open_file(self._path)
        mine = {} if file is None else {id(each) for each in list_nodes(file.tree)}
        return frozenset(
            each.lineno
            for each in self.training_loops
            if id(each) in mine and isinstance(each, LOOPS)
        )

    def trains_between(self, first: int, last: int) -> bool:
        """Whether weights change by what happens between two rows of the file, calls entered."""
        return any(first < row < last for row in self._stepping_rows)

    @cached_property
    def _stepping_rows(self) -> frozenset[int]:
        return frozenset(
            spot.row
            for reached in self.reached
            for event in reached.events
            if changes_weights(event)
            for spot in list_places(event)
            if spot.path == self._path
        )

    @cached_property
    def turned_on(self) -> frozenset[int]:
        """What is told that it needs a gradient, by assignment."""
        events = (event for reached in self.reached for event in reached.events)
        sets = (e for e in events if isinstance(e, AttributeSet) and e.attribute == "requires_grad")
        return frozenset(id(each.held) for each in sets)

    @cached_property
    def losses(self) -> tuple[Value, ...]:
        """What backward passes start from."""
        return tuple(value for event in self._backward_passes for value in list_given(event)[:1])

    @cached_property
    def single_losses(self) -> tuple[Value, ...]:
        """Those that are given no gradient, and so are one number each."""
        given = map(list_given, self._backward_passes)
        return tuple(each[0] for each in given if len(each) == 1)

    @cached_property
    def graphs(self) -> Mapping[str, GradientGraphs]:
        """The graphs of losses, by the roots whose order is known."""
        return {root: GradientGraphs(each, self.ways) for root, each in self._ordered.items()}

    @cached_property
    def cuts(self) -> Mapping[str, CutGradients]:
        """What needs no gradient, by the roots whose order is known."""
        return {root: CutGradients(each, self.ways) for root, each in self._ordered.items()}

    @cached_property
    def _ordered(self) -> Mapping[str, tuple[Occurrence, ...]]:
        events: dict[str, list[Occurrence]] = defaultdict(list)
        for reached in self.reached:
            if reached.ordered and reached.events:
                events[reached.events[0].way.root] += reached.events
        return {root: tuple(each) for root, each in events.items()}

    @cached_property
    def autocast(self) -> Mapping[str, AutocastTypes]:
        """The types of values under autocast, by root: of those whose order is known, or that have none."""
        events: dict[str, list[Occurrence]] = defaultdict(list)
        for reached in self.reached:
            plain = not any(isinstance(e, Called) and "autocast" in e.name for e in reached.events)
            if reached.events and (reached.ordered or plain):
                events[reached.events[0].way.root] += reached.events
        return {
            root: AutocastTypes(tuple(each), GradientGraphs(tuple(each), self.ways))
            for root, each in events.items()
        }

    def find_half(self, value: Value) -> str:
        """The type of half precision that autocast surely gave a value, else ""."""
        found = (types.find_type(value) for types in self.autocast.values())
        return next(filter(None, found), "") if "autocast" in self.words else ""

    @cached_property
    def parts(self) -> ToldParts:
        """The parts that objects play, by what is called on them."""
        return ToldParts(event for reached in self.reached for event in reached.events)

    def _find_outline(self, event: Occurrence) -> NodeParents:
        path = event.spot.path
        if path not in self._outlines:
            file = self._finder.open_file(path)
            self._outlines[path] = _NOTHING if file is None else find_parents(file.tree)
        return self._outlines[path]

    @cached_property
    def rows(self) -> KnownRows:
        """Rows of the file of which something is known."""
        events = (event for reached in self.reached for event in reached.events)
        return KnownRows(self._path, events)

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


_NOTHING = NodeParents(ast.Module([], []))


def _list_parts(value: Value) -> Iterator[Value]:
    """A value, and what it holds."""
    yield value
    for each in (value.items or ()) if isinstance(value, Items) else ():
        yield from _list_parts(each)


def _list_words(tree: ast.AST) -> Iterator[str]:
    for node in list_nodes(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _count_characters(lines: tuple[str, ...], row: int, column: int) -> int:
    """Characters before a column that is counted in bytes of UTF-8."""
    line = lines[row - 1] if 0 < row <= len(lines) else ""
    if line.isascii():
        return column
    return len(line.encode(errors="surrogatepass")[:column].decode(errors="ignore"))


def is_of_other_framework(text: str) -> bool:
    """Whether a file imports another framework, and not torch."""
    return bool(_FRAMEWORKS.search(text)) and not _TORCH.search(text)
