"""The interpreter's own state and its few moves: evaluate, execute, try several paths, tell what happened.

What each kind of expression and statement does stands in files of its own, which register here.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NoReturn, TypeVar

from lintorch.evaluator.alike_layers import AlikeLayers
from lintorch.evaluator.budget import Budget, SpentError
from lintorch.evaluator.carried_layers import CarriedLayers
from lintorch.evaluator.code_files import CodeFile, Library
from lintorch.evaluator.error_parts import find_error_part
from lintorch.evaluator.events import Occurrence, Way
from lintorch.evaluator.exporters import EVERYONE
from lintorch.evaluator.join import ITEMS, join_states, make_choice
from lintorch.evaluator.marks import NOWHERE, Forked, Joined, Left, Mark, Parted
from lintorch.evaluator.pure_calls import PureCalls
from lintorch.evaluator.repeated_calls import RepeatedCalls
from lintorch.evaluator.sizes import Dim
from lintorch.evaluator.state import State
from lintorch.evaluator.values import (
    UNKNOWN,
    ByExporter,
    Class,
    External,
    Frame,
    Given,
    Held,
    Number,
    Spot,
    Unknown,
    Value,
    name_setting,
)
from lintorch.evaluator.witness import Witness

E = TypeVar("E", bound=Callable[..., Any])
EXPRESSIONS: dict[type[ast.AST], Callable[[Machine, Any], Value]] = {}
STATEMENTS: dict[type[ast.AST], Callable[[Machine, Any], None]] = {}


METHODS: dict[str, dict[tuple[str, str], Callable[[Machine, ast.AST, Given], Value]]] = {}
"""Methods of files that are told instead of entered: by their name, and then by module and class.

A function's class is "".
"""
CALLS: dict[type[Value], Callable[[Machine, ast.AST, Any, Given], Value]] = {}
ATTRIBUTES: dict[type[Value], Callable[[Machine, ast.AST, Any, str], Value]] = {}


def calls(*kinds: type[Value]) -> Callable[[E], E]:
    """Says which values a function calls."""
    return _register(CALLS, kinds)


def reads(*kinds: type[Value]) -> Callable[[E], E]:
    """Says of which values a function reads attributes."""
    return _register(ATTRIBUTES, kinds)


def evaluates(*kinds: type[ast.AST]) -> Callable[[E], E]:
    """Says which expressions a function gives the value of."""
    return _register(EXPRESSIONS, kinds)


def executes(*kinds: type[ast.AST]) -> Callable[[E], E]:
    """Says which statements a function carries out."""
    return _register(STATEMENTS, kinds)


def _register(table: dict[Any, Any], kinds: tuple[type, ...]) -> Callable[[E], E]:
    def keep(function: E) -> E:
        table.update(dict.fromkeys(kinds, function))
        return function

    return keep


class LeftError(Exception):
    """The path that is followed does not go on: it returned, raised or jumped."""


class TaughtError(Exception):
    """The shape of a model's only input was learned: what follows is evaluated with it."""


@dataclass
class Exits:
    """The states in which a loop is left by `break`, and its passes by `continue`."""

    breaks: State | None = None
    continues: State | None = None
    rounds: Number | None = None
    """How many passes there are, where that is known to come from sizes."""
    unrolled: int = 1
    """How many passes this loop and those around it have together, where they are carried out one by one."""


@dataclass
class Activation:
    """A function that is running."""

    frame: Frame
    name: str
    """"" of a comprehension, which runs as a part of what is around it."""
    file: CodeFile
    call: Spot | None = None
    node: ast.AST | None = None
    owner: Class | None = None
    instance: Value | None = None
    forward: bool = False
    returned: list[Value] = field(default_factory=list)
    left: State | None = None
    """The joined states of its returns."""
    yielded: list[Value] = field(default_factory=list)
    yielded_rounds: Number | None = None
    """How many items it yields, where that is known to come from sizes."""
    loops: list[Exits] = field(default_factory=list)
    raised: list[State | None] = field(default_factory=list)
    """For each `try` around: the joined states in which something raised."""
    way: Way | None = None
    """How it was reached, as last told."""
    doubt: int = 0
    """Branches around that are not decided, and those left early before."""
    shaky: bool = False
    """Whether the call that it runs for is not sure to happen."""
    exporters: frozenset[str] = EVERYONE
    """Who may come to what runs now, where code asked for that."""


@dataclass
class AskedSettings:
    """Parameters of a root's constructor that nobody gives, by what its code takes them for."""

    numbers: set[str] = field(default_factory=set)
    """Numbers of channels, heads and the like."""
    counts: set[str] = field(default_factory=set)
    """How often something is repeated."""
    absent: bool = False
    """Whether None was taken for something: a default that nobody leaves so."""
    repeats: int = 2
    """How often something is repeated of which nobody says how often."""
    defaults: bool = True
    """Whether what a call gives unknown is what its default says."""
    presumed: bool = False
    """Whether it was so for any."""
    use: ast.Call | None = None
    """A call of another file that says what it is built with."""
    checks: bool = True
    """Whether a check that raises is believed to; else nobody is thought to call it so."""

    @property
    def is_first(self) -> bool:
        """Whether nothing was tried in the place of what is presumed at first."""
        tried = self.use is not None or not self.checks
        return self.defaults and not tried and self.repeats == AskedSettings.repeats

    @property
    def total(self) -> int:
        """How many there are."""
        return len(self.numbers) + len(self.counts) + self.absent

    def note(self, kind: set[str], values: Iterable[Value | None]) -> None:
        """Keep the names of those values that are such parameters."""
        for value in values:
            name = name_setting(value)
            if name:
                kind.add(name)


@dataclass
class TopLevel:
    """What files hold at their top: worked out once for all roots, before any of them runs."""

    ground: State = field(default_factory=State)
    addresses: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    files: dict[CodeFile, Frame] = field(default_factory=dict)
    pending: set[tuple[CodeFile, str]] = field(default_factory=set)
    """Names of files that are being worked out."""
    steps: int = 0
    """What that has cost, as far as no root is charged with it."""
    kept: dict[tuple[CodeFile, str], Value] = field(default_factory=dict)
    """Names of files whose values never change."""
    costly: set[str] = field(default_factory=set)
    """Decorators that take too long to follow, as they are written."""
    class_attributes: dict[int, dict[str, Value]] = field(default_factory=dict)
    carried: CarriedLayers = field(default_factory=CarriedLayers)
    entered: set[ast.AST] = field(default_factory=set)
    """Functions that were run."""
    weighed: set[ast.If] = field(default_factory=set)
    """Branches of which it was asked if they are for another runtime."""
    proven: dict[tuple[CodeFile, ast.AST], frozenset[str]] = field(default_factory=dict)
    """Names of functions that surely stand for tensors."""
    foreign: set[tuple[ast.If, bool]] = field(default_factory=set)
    """Those of them that are; with False their `else`."""
    switched: dict[str, bool] = field(default_factory=dict)
    """Flags of models, and whether the project sets them ahead of an export."""


class Machine:
    """Runs code of files over values; whoever starts a root says which."""

    def __init__(
        self, library: Library, budget: Budget | None = None, top: TopLevel | None = None
    ) -> None:
        top = top or TopLevel()
        self.library = library
        self.budget = budget or Budget()
        self.top = top
        self.watch = library.watch
        self.marks = False
        """Whether the order of what happens is told."""
        self.ordered = False
        """Whether it is in this root: a model that is called again has another graph."""
        self.shallow = False
        """Whether models are left closed: neither their constructors nor their forwards are entered."""
        self.tells_unknown = False
        """Whether calls of something unknown are told, as they are where marks are."""
        self.is_unsure = False
        """Whether the model is built as a branch builds it that nothing decides."""
        self.is_of_model = False
        """Whether a model is built and its forward run, and nothing else."""
        self.may_share = False
        """Whether what one layer does may be told of it alone, and not of all that are like it."""
        self.helper_steps = 0
        """Of each function of another file; 0 where it may take all that are left."""
        self.state = State(ground=top.ground.cells)
        self.events: list[Occurrence] = []
        self.root = ""
        self.stack: list[Activation] = []
        self.here: Activation
        """The function that is running."""
        self.steps = 0
        self.most_steps = self.budget.steps
        self.addresses = top.addresses
        self.class_attributes = top.class_attributes
        self.forward_node: ast.AST | None = None
        self.only_input = ""
        """The name of the input of a model that has one; "" of others, and when it is run for good."""
        self.learned: dict[str, tuple[Dim, ...]] = {}
        self.settled: dict[str, Dim] = {}
        """Sizes of open axes of inputs, by their symbol's name."""
        self.sequences: set[str] = set()
        """Inputs that are lists of tensors, or no tensors at all."""
        self.foreign: dict[str, set[str]] = {}
        """Attributes of inputs that are read and no tensor has."""
        self.wanted: set[str] = set()
        """Inputs with a default without which the model raises."""
        self.branched: set[str] = set()
        """Inputs whose shapes were learned on a branch that nothing decides."""
        self.guessed: dict[str, tuple[Dim, ...]] = {}
        self.counted: set[str] = set()
        """Inputs of which code asks the size of axis 1."""
        self.picked: dict[int, tuple[Value, Dim]] = {}
        """By its id: a mask, and how many rows it has picked."""
        self.widened: dict[str, tuple[Dim, ...]] = {}
        """What was presumed at first of inputs that more axes were tried for."""
        self.ranged: set[str] = set()
        """Sizes of inputs that a loop goes up to, as they are written: `range(x.size(1))`."""
        self.stepped: set[str] = set()
        """Inputs that a loop goes along, as in `ids[:, i]`, of which no more is known."""
        self.timed: set[str] = set()
        """Those of them where the name of the index says that it is one of time."""
        self.several_ranks: set[str] = set()
        """Inputs of which code asks how many axes they have: what a branch says of that is not so of all."""
        self.shifted: set[str] = set()
        """Those that are cut there instead, `x[:, n:]`: columns are not."""
        self.narrowed: set[str] = set()
        """Inputs of which a Linear is given a part, `x[:, :16]`, or another form."""
        self.hooked: set[int] = set()
        """Parts that the model has hung hooks on."""
        self.misfit = False
        """Whether something was done with a presumed shape that asks for other axes."""
        self.learned_types: dict[str, str] = {}
        """What was learned of inputs by their names."""
        self.tensors: set[str] = set()
        """Inputs that surely are tensors: what only tensors have was asked of them."""
        self.presumed = False
        """Whether it mattered that a value may be a Python number, and no tensor."""
        self.parts: dict[ast.expr, ByExporter] = {}
        """Parts of tests, as `a` of `a and b`, that depend on who runs the code."""
        self.spots: dict[ast.AST, Spot] = {}
        self.repeated = RepeatedCalls()
        self.alike = AlikeLayers(self.repeated.shared)
        self.pure = PureCalls()
        self.made: set[Class] = set()
        """Classes of files of which an object was made."""
        self.run: set[int] = set()
        """Addresses of objects that were called."""
        self.witness: Witness | None = None
        self.asked = AskedSettings()
        self.samples: dict[int, Any] = {}
        """By the address of a dataset: what a batch of its samples is."""
        self.contexts: list[str] = []
        """Context managers entered, by full name."""

    # values in the heap

    def hold(
        self, kind: str, content: Mapping[Any, Any], of: Class | External | None = None
    ) -> Held:
        """A new list, dict or object that holds this."""
        address = next(self.addresses)
        self.state.write(address).update(content)
        return Held(address, kind, of)

    def hold_list(self, items: Sequence[Value] | None, each: Value = UNKNOWN) -> Held:
        """A new list; `items` is None where their number is not known."""
        most = self.budget.items
        known = None if items is None or len(items) > most else tuple(items)
        return self.hold("list", {ITEMS: known, "each": each if known is None else UNKNOWN})

    # moves

    def enter(self, activation: Activation) -> None:
        """A function begins to run."""
        if self.stack:
            outer = self.here
            activation.shaky = outer.shaky or outer.doubt > 0
            activation.exporters = outer.exporters
        self.stack.append(activation)
        self.here = activation

    def leave(self) -> None:
        """The function that is running ends."""
        self.stack.pop()
        if self.stack:
            self.here = self.stack[-1]

    def unwind(self, depth: int = 1) -> None:
        """End all functions but so many, the outermost."""
        del self.stack[depth:]
        self.here = self.stack[-1]

    @property
    def is_certain(self) -> bool:
        """Whether what happens now surely happens in a run of the root."""
        here = self.here
        return not (here.doubt or here.shaky)

    def evaluate(self, node: ast.expr) -> Value:
        """The value of an expression. Raises LeftError where it never gives one."""
        self.steps = steps = self.steps + 1
        if steps > self.most_steps:
            raise SpentError
        handler = EXPRESSIONS.get(type(node))
        value = UNKNOWN if handler is None else handler(self, node)
        if self.watch is not None:
            self.watch.note_value(self, node, value)
        return value

    def call(self, node: ast.AST, callee: Value, given: Given) -> Value:
        """What a call of any value gives. Raises LeftError where it never returns."""
        handler = CALLS.get(type(callee))
        if handler is not None:
            return handler(self, node, callee, given)
        for value in given.values:
            self.spoil(value)
        return self.unknown_from(callee, "()")

    def read_attribute(self, node: ast.AST, held: Value, name: str) -> Value:
        """The value of `held.name`."""
        handler = ATTRIBUTES.get(type(held))
        if handler is None:
            return self.unknown_from(held, f".{name}")
        return handler(self, node, held, name)

    def spoil(self, value: Value) -> None:
        """Somebody unknown got hold of a list or dictionary, and may have changed it."""
        if isinstance(value, Held) and value.kind == "list":
            self.state.write(value.address).update({ITEMS: None, "each": UNKNOWN})
        elif isinstance(value, Held) and value.kind == "dict":
            self.state.write(value.address)["open"] = UNKNOWN

    def execute(self, block: Sequence[ast.stmt]) -> None:
        """Carry out statements in order. Raises LeftError where none goes on after them."""
        last = find_error_part(block) if block and isinstance(block[-1], ast.Raise) else len(block)
        for number, statement in enumerate(block):
            if number >= last and self.here.doubt:
                self.leave_by_error()
            self.steps += 1
            if self.steps > self.most_steps:
                raise SpentError
            if self.watch is not None:
                self.watch.begin_statement(self, statement)
            handler = STATEMENTS.get(type(statement))
            if handler is not None:
                handler(self, statement)

    @property
    def names_unknown(self) -> bool:
        """Whether what comes of something unknown is known by where it came from: not in what is exported."""
        return self.tells_unknown or (self.is_of_model and not self.here.forward)

    def spend(self, steps: int) -> None:
        """Count what takes long without evaluating much."""
        self.steps += steps
        if self.steps > self.most_steps:
            raise SpentError

    def leave_by_error(self) -> NoReturn:
        """Something raises here: it goes on in the handlers around, if there are any."""
        self.mark(Left, NOWHERE, "raise")
        raised = self.here.raised
        if raised:
            raised[-1] = join_states(raised[-1], self.state.fork())
        raise LeftError

    def try_paths(self, paths: Iterable[Callable[[], Value]]) -> Value:
        """What one of several paths gives, of which it is not known which is taken."""
        before, after, results, here = self.state, None, [], self.here
        exporters = here.exporters
        self.mark(Forked)
        here.doubt += 1
        try:
            for path in paths:
                self.state = before.fork()
                here.exporters = exporters
                self.mark(Parted)
                try:
                    results.append(path())
                except LeftError:
                    continue
                after = join_states(after, self.state)
        finally:
            here.doubt -= 1
            here.exporters = exporters
        self.mark(Joined)
        if after is None:
            raise LeftError
        self.state = after
        if len(results) == 1:
            self.here.doubt += 1  # another path was left
        return make_choice(tuple(results))

    @contextmanager
    def doubting(self) -> Iterator[None]:
        """What happens meanwhile is not sure to happen."""
        here = self.here
        here.doubt += 1
        try:
            yield
        finally:
            here.doubt -= 1

    # what happened

    def spot(self, node: ast.AST) -> Spot:
        """Where a node of the running function's file stands."""
        kept = self.spots.get(node)
        if kept is None:
            kept = self.spots[node] = Spot(
                self.here.file.path,
                getattr(node, "lineno", 1),
                getattr(node, "col_offset", 0),
                getattr(node, "end_lineno", 1) or 1,
                getattr(node, "end_col_offset", 0) or 0,
            )
        return kept

    def way(self) -> Way:
        """How the running function was reached."""
        here = self.here
        certain = not (here.doubt or here.shaky)
        kept = here.way
        same = kept is not None and kept.certain is certain and kept.forward is here.forward
        if kept is None or not same or kept.exporters is not here.exporters:
            kept = here.way = Way(
                self.root,
                tuple(each.name for each in self.stack if each.name),
                tuple(each.call for each in self.stack if each.call is not None),
                here.forward,
                certain,
                here.exporters,
            )
        return kept

    def tell(self, kind: Callable[..., Occurrence], node: ast.AST, *given: Any) -> None:
        """Record what happened at a node."""
        spot = self.spots.get(node) or self.spot(node)
        self.events.append(kind(node, spot, self.way(), *given))

    def mark(self, kind: type[Mark], node: ast.AST = NOWHERE, *given: Any) -> None:
        """Record the order of what happens, where somebody wants it."""
        if self.marks:
            self.tell(kind, node, *given)

    def take_back(self, number: int) -> None:
        """Forget the events from a number on: what follows tells them anew."""
        del self.events[number:]
        self.repeated.forget_since(number)
        self.pure.forget_since(number)

    def unknown_from(self, value: Value, suffix: str) -> Unknown:
        """What a foreign value gives: nothing is known of it but its name."""
        path = value.path if isinstance(value, (Unknown, External)) else ""
        return Unknown(f"{path}{suffix}" if path and len(path) < 120 else "")
