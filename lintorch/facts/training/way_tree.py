"""What happens in a root as a tree: ways that part, loops with their passes, functions that are called."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lintorch.evaluator.events import AttributeSet, Called, Occurrence
from lintorch.evaluator.marks import (
    Asked,
    CallBegan,
    CallEnded,
    Cell,
    ContextEntered,
    ContextLeft,
    Forked,
    HandlerBegan,
    HandlerEnded,
    Joined,
    Left,
    LoopBegan,
    LoopEnded,
    Mark,
    NameBound,
    Parted,
    Test,
    Turned,
)
from lintorch.evaluator.unknown_objects import ScaledLoss
from lintorch.evaluator.values import External, Held, Value
from lintorch.facts.training.acts import Act
from lintorch.facts.training.part_values import Parts, Subject, make_subject
from lintorch.facts.training.totals import Sums
from lintorch.facts.training.training_actions import Action, Actions

_CONTEXTS = {
    "autocast": "autocast",
    "no_grad": "no_grad",
    "inference_mode": "no_grad",
    "set_grad_enabled": "grad?",
}


@dataclass(frozen=True)
class Rebinding:
    """A name or an attribute is given a value; `scaler`: by which it was scaled, if it is such a loss."""

    cell: Cell
    scaler: Subject | None = None


@dataclass(frozen=True)
class Making:
    """An object is made, at an address; `name` is what makes it."""

    address: int
    name: str


@dataclass(frozen=True)
class Leave:
    """The way ends: by "return", "raise", "break" or "continue"."""

    how: str


@dataclass(frozen=True, eq=False)
class Branch:
    """Several ways, one of which is taken; of `test`, where there is one, the first if it holds."""

    test: Test | None
    sides: tuple[Sequence[Item], ...]


@dataclass(frozen=True, eq=False)
class Block:
    """A loop with its passes, or a function that is called, which has one. `node` is all of it."""

    node: ast.AST
    began: Occurrence
    passes: tuple[Sequence[Item], ...]
    is_cut: bool = False
    """Whether it was not followed to its end."""

    @property
    def is_loop(self) -> bool:
        """Whether it repeats."""
        return isinstance(self.began, LoopBegan)


Item = Action | Rebinding | Making | Leave | Branch | Block
_Closing = tuple[type[Mark], ...]


class TreeReader:
    """Reads the events of one root, in order."""

    def __init__(self, events: Sequence[Occurrence]) -> None:
        self._events = events
        self._at = 0
        self._floors: list[int] = [0]
        """How deep in calls the blocks that are being read began: what happens further out is no part of them."""
        self._actions = Actions(Parts(events))
        self._sums = Sums()
        self._asked: Asked | None = None
        self._contexts: dict[Value, Called] = {}
        """The calls that made context managers."""

    def read_root(self) -> list[Item]:
        """All that happens; what is cut off by a spent budget ends where it is cut."""
        return self._read(())

    def _read(self, closing: _Closing) -> list[Item]:
        """The items up to a mark of these classes, which is left to be read."""
        found: list[Item] = []
        while self._at < len(self._events):
            event = self._events[self._at]
            if isinstance(event, closing) or self._is_beyond(event):
                break
            self._at += 1
            found.extend(self._items_of(event))
            self._asked = event if isinstance(event, Asked) else None
        return found

    def _is_beyond(self, event: Occurrence) -> bool:
        """Whether a block was given up, with the call that it stands in, before this happened."""
        return len(event.way.names) < self._floors[-1]

    def _close(self, end: type[Mark]) -> bool:
        """Pass the mark that ends a block; whether it is there."""
        there = self._at < len(self._events) and isinstance(self._events[self._at], end)
        if there:
            self._at += 1
        return there

    def _items_of(self, event: Occurrence) -> Iterator[Item]:
        if not isinstance(event, Mark):
            yield from self._actions.list_actions(event)
            yield from self._sums.list_sums(event)
            if isinstance(event, AttributeSet) and isinstance(event.held, Held):
                self._sums.note_attribute(event)
                yield _rebind((event.held.address, event.attribute), event.value)
            elif isinstance(event, Called) and isinstance(event.result, Held):
                yield Making(event.result.address, event.name)
                if context_kind(event.result):
                    self._contexts[event.result] = event
        elif isinstance(event, Left):
            yield Leave(event.how)
        elif isinstance(event, NameBound):
            self._sums.note_name(event)
            yield _rebind(event.cell, event.value)
        elif isinstance(event, ContextEntered) and (kind := context_kind(event.manager)):
            made = self._contexts.get(event.manager)
            yield Action(Act.ENTER, made or event, kind, value=event.manager, made=made)
        elif isinstance(event, ContextLeft) and (kind := context_kind(event.manager)):
            yield Action(Act.LEAVE, event, kind, value=event.manager)
        else:
            yield from self._read_block(event)

    def _read_block(self, event: Mark) -> Iterator[Item]:
        if isinstance(event, Forked):
            yield self._read_branch()
        elif isinstance(event, HandlerBegan):
            self._read((HandlerEnded,))
            self._close(HandlerEnded)
        elif isinstance(event, LoopBegan):
            self._floors.append(len(event.way.names))
            passes, ended = self._read_parts(Turned, LoopEnded)
            self._floors.pop()
            yield Block(event.node, event, tuple(passes), not ended)
        elif isinstance(event, CallBegan) and not isinstance(event, CallEnded):
            yield from self._read_call(event)

    def _read_branch(self) -> Branch:
        test = self._asked.test if self._asked is not None else None
        self._asked = None
        sides, _ = self._read_parts(Parted, Joined)
        return Branch(test if len(sides) == 2 else None, tuple(sides))

    def _read_parts(self, begin: type[Mark], end: type[Mark]) -> tuple[list[list[Item]], bool]:
        """What lies between such marks, and whether the last of them is there."""
        parts = []
        self._read((begin, end))
        while self._at < len(self._events) and isinstance(self._events[self._at], begin):
            self._at += 1
            parts.append(self._read((begin, end)))
        return parts, self._close(end)

    def _read_call(self, event: CallBegan) -> Iterator[Item]:
        body = self._read((CallEnded,))
        ended = self._close(CallEnded)
        own = self._actions.of_method(event)
        if own is not None:
            yield own
            return
        kinds = [_decorated_kind(each) for each in getattr(event.node, "decorator_list", ())]
        contexts = [Subject(kind, kind) for kind in kinds if kind]
        before = [Action(Act.ENTER, event, kind) for kind in contexts]
        after = [Action(Act.LEAVE, event, kind) for kind in contexts]
        yield from before
        yield Block(event.node, event, (body,), not ended)
        yield from after


def _rebind(cell: Cell, value: Value) -> Rebinding:
    scaled = isinstance(value, ScaledLoss)
    return Rebinding(cell, make_subject(value.scaler, None, "") if scaled else None)  # type: ignore[attr-defined]


def context_kind(manager: Value) -> Subject | None:
    """What a context manager of torch does: "autocast", "no_grad" or, if it may do either, "grad?"."""
    if not isinstance(manager, Held) or not isinstance(manager.of, External):
        return None
    kind = _CONTEXTS.get(manager.of.path.rpartition(".")[2])
    return Subject(kind, kind) if kind and manager.of.path.startswith("torch.") else None


def _decorated_kind(decorator: ast.expr) -> str:
    func = decorator.func if isinstance(decorator, ast.Call) else decorator
    name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
    return _CONTEXTS.get(name, "")
