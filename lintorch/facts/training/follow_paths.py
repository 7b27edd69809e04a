"""Follows the statements of a loop body or function and collects what can happen, way by way."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import libcst as cst

from lintorch.facts.classes.classes import Classes
from lintorch.facts.names.lookup import Lookup
from lintorch.facts.names.scopes import dotted_text
from lintorch.facts.training.acting_code import OPAQUE, ActingCode, clears_gradient
from lintorch.facts.training.acts import Act, Acts, Event, Thing
from lintorch.facts.training.conditions import (
    Conditions,
    assume_outcome,
    decide_test,
    mention_of,
)
from lintorch.syntax.literals import arguments
from lintorch.syntax.parsed_file import ParsedFile
from lintorch.syntax.tree import offspring

_DEPTH = 4
_MOST = 64
_LONGEST = 300
"""Events on one way, at most: helpers that call helpers may repeat each other's a thousand times."""


@dataclass(frozen=True, order=True)
class ScaledLoss:
    """A loss that a scaler has scaled, both as they are spelled in the region."""

    loss: str
    scaler: str


@dataclass(frozen=True)
class Path:
    """One way through a region. `conditions`: how the tests on it came out. `end`: how it leaves.

    `lasting`: those of the conditions that no statement of the region changes. `scaled`: the
    losses that are scaled at the end of it.
    """

    events: tuple[Event, ...] = ()
    conditions: Conditions = frozenset()
    end: str = ""
    lasting: Conditions = frozenset()
    scaled: frozenset[ScaledLoss] = frozenset()

    @property
    def goes_on(self) -> bool:
        """Whether the next iteration follows, where the region is a loop."""
        return self.end in ("", "continue")

    def before(self, event: Event) -> tuple[Event, ...]:
        """The events ahead of one."""
        return self.events[: self.events.index(event)]

    def after(self, event: Event) -> tuple[Event, ...]:
        """The events behind one."""
        return self.events[self.events.index(event) + 1 :]

    def precedes(self, other: Path) -> bool:
        """Whether another path may be that of the next iteration: no lasting test came out otherwise."""
        mine = {each.test: each.holds for each in self.lasting}
        return self.goes_on and all(mine.get(e.test, e.holds) == e.holds for e in other.lasting)

    def without(self, names: Collection[str]) -> Path:
        """What is still known once names stand for something else."""
        if not names or not (self.conditions or self.scaled):
            return self
        mention = mention_of(names)
        return replace(
            self,
            conditions=frozenset(c for c in self.conditions if not mention.search(c.test)),
            scaled=frozenset(
                s
                for s in self.scaled
                if not mention.search(s.loss) and not mention.search(s.scaler)
            ),
        )


class TooManyPaths(Exception):
    """The region has more ways through it than are followed."""


@dataclass(frozen=True)
class _Frame:
    """One function on the way: what its parameters stand for, and the functions around it."""

    given: Mapping[str, Thing]
    functions: tuple[cst.FunctionDef, ...] = ()


class PathFollower:
    """Follows one region. A state is a path that is not over yet."""

    def __init__(
        self, file: ParsedFile, names: Lookup, classes: Classes, acts: Acts, acting: ActingCode
    ) -> None:
        self._file, self._names, self._classes = file, names, classes
        self._acts, self._acting = acts, acting
        self._frame = _Frame({})
        self._words: dict[cst.CSTNode, str] = {}
        self.rebound: set[str] = set()
        self.looped = False

    def bound_by(self, target: cst.CSTNode) -> None:
        """The names that the region's own loop binds at each turn."""
        self._bind(target, None, [])

    # statements

    def block(self, block: cst.CSTNode, states: list[Path]) -> list[Path]:
        over: list[Path] = []
        for statement in block.body:  # type: ignore[attr-defined]
            states = self._statement(statement, states)
            over += [s for s in states if s.end]
            states = [s for s in states if not s.end]
            if not states:
                break
        return _few(over + states)

    def _statement(self, node: cst.CSTNode, states: list[Path]) -> list[Path]:
        if isinstance(node, cst.SimpleStatementLine):
            return self.block(node, states)
        if isinstance(node, cst.If):
            return self._if(node, node.test, node.body, node.orelse, states)
        if isinstance(node, (cst.For, cst.While)):
            return self._loop(node, states)
        if isinstance(node, cst.With):
            return self._with(node, states)
        if isinstance(node, (cst.Try, cst.TryStar)):
            return self._try(node, states)
        if isinstance(node, cst.Match):
            return self._match(node, states)
        return self._simple(node, states)

    def _try(self, node: cst.Try | cst.TryStar, states: list[Path]) -> list[Path]:
        for part in (node.body, node.orelse, node.finalbody):
            if part is not None:
                states = self._go_on(part, states)
        return states

    def _go_on(self, part: cst.CSTNode, states: list[Path]) -> list[Path]:
        """Follows a block with the states that are not over."""
        running = [s for s in states if not s.end]
        return [s for s in states if s.end] + (self.block(_body(part), running) if running else [])

    def _simple(self, node: cst.CSTNode, states: list[Path]) -> list[Path]:
        if isinstance(node, OPAQUE):
            return states
        states = self._visit(node, states)
        if isinstance(node, cst.Assign):
            for target in node.targets:
                states = self._bind(target.target, node.value, states)
            if clears_gradient(node):
                states = _add(states, Event(Act.ZERO_GRAD, node, "grad"))
        elif isinstance(node, (cst.AnnAssign, cst.AugAssign)) and node.value is not None:
            states = self._bind(node.target, node.value, states)
        ends = _ENDS.get(type(node), "")
        return [replace(s, end=ends) for s in states] if ends else states

    def _bind(
        self, target: cst.CSTNode, value: cst.BaseExpression | None, states: list[Path]
    ) -> list[Path]:
        """A name gets another value: what tests said of it is over."""
        if isinstance(target, (cst.Tuple, cst.List)):
            for element in target.elements:
                states = self._bind(element.value, None, states)
            return states
        text = dotted_text(target)
        if not text:
            return states
        self.rebound.add(text)
        text = self._thing(target).text if isinstance(target, cst.Attribute) else text
        states = [s.without({text}) for s in states]
        scaler = self._scaler_of(value) if value is not None and states else ""
        if not scaler:
            return states
        return [replace(s, scaled=s.scaled | {ScaledLoss(text, scaler)}) for s in states]

    def _scaler_of(self, value: cst.BaseExpression) -> str:
        """The scaler of `scaler.scale(loss)`."""
        if not isinstance(value, cst.Call):
            return ""
        acts = self._acts.events_of(value, self._thing)
        return next((e.by for e in acts if e.act is Act.SCALE), "")

    def _if(
        self,
        node: cst.CSTNode,
        test: cst.BaseExpression,
        body: cst.CSTNode,
        orelse: cst.CSTNode | None,
        states: list[Path],
    ) -> list[Path]:
        states = self._visit(test, states)
        sides: dict[bool, list[Path]] = {True: [], False: []}
        for state in states:
            came = decide_test(test, state.conditions, self._word)
            for way in (True, False) if came is None else (came,):
                conditions = assume_outcome(test, state.conditions, way, self._word)
                sides[way].append(replace(state, conditions=conditions))
        return _merged(self._side(body, sides[True]) + self._side(orelse, sides[False]))

    def _side(self, part: cst.CSTNode | None, states: list[Path]) -> list[Path]:
        if part is None or not states:
            return states
        if isinstance(part, cst.If):
            return self._statement(part, states)
        if isinstance(part, cst.BaseExpression):
            return self._visit(part, states)
        return self.block(_body(part), states)

    def _loop(self, node: cst.For | cst.While, states: list[Path]) -> list[Path]:
        if isinstance(node, cst.For):
            states = self._visit(node.iter, states)
            states = self._bind(node.target, None, states)
        else:
            states = self._visit(node.test, states)
        self.looped = self.looped or self._acting.holds_acts(node.body)
        after = self.block(node.body, states)
        stays = ("", "continue", "break")
        after = [replace(s, end="") if s.end in stays else s for s in after]
        if node.orelse is not None:
            after = self._go_on(node.orelse, after)
        return _merged(after)

    def _with(self, node: cst.With, states: list[Path]) -> list[Path]:
        entered: list[tuple[cst.CSTNode, str]] = []
        for item in node.items:
            states = self._visit(item.item, states)
            entered.append((item.item, self._acts.context_kind(item.item)))
        for place, kind in entered:
            if kind:
                states = _add(states, Event(Act.ENTER, place, kind))
        states = self.block(node.body, states)
        for place, kind in reversed(entered):
            if kind:
                states = _add(states, Event(Act.LEAVE, place, kind), over=True)
        return states

    def _match(self, node: cst.Match, states: list[Path]) -> list[Path]:
        states = self._visit(node.subject, states)
        found = list(states)
        for case in node.cases:
            found += self.block(case.body, states)
        return _merged(found)

    # expressions

    def _visit(self, node: cst.CSTNode, states: list[Path]) -> list[Path]:
        """All that happens while an expression is worked out."""
        if isinstance(node, OPAQUE) or not states:
            return states
        if isinstance(node, cst.IfExp):
            return self._if(node, node.test, node.body, node.orelse, states)
        if isinstance(node, cst.NamedExpr):
            return self._bind(node.target, node.value, self._visit(node.value, states))
        for child in offspring(node):
            states = self._visit(child, states)
        return self._call(node, states) if isinstance(node, cst.Call) else states

    def _call(self, call: cst.Call, states: list[Path]) -> list[Path]:
        helper = self._classes.function(call.func)
        if helper is not None and self._acting.holds_acts(helper.body):
            return self._helper(call, helper, states)
        for event in self._acts.events_of(call, self._thing) if helper is None else ():
            if event.act is Act.BACKWARD:
                states = [
                    replace(s, events=(*s.events, replace(event, by=self._scaled_by(call, s))))
                    for s in states
                ]
            else:
                states = _add(states, event)
        return states

    def _scaled_by(self, call: cst.Call, state: Path) -> str:
        """The scaler of the loss that a backward starts from."""
        loss = call.func.value if isinstance(call.func, cst.Attribute) else None
        if loss is None:
            return "?"
        if scaler := self._scaler_of(loss):
            return scaler
        text = self._thing(loss).text
        return next((each.scaler for each in state.scaled if each.loss == text), "")

    def _helper(self, call: cst.Call, helper: cst.FunctionDef, states: list[Path]) -> list[Path]:
        """A function of the file, followed in place of its call."""
        outer = self._frame
        if len(outer.functions) >= _DEPTH or helper in outer.functions:
            return _add(states, Event(Act.PASSED, call, "self"))
        given = dict(self._given(call, helper))
        decorated = [self._acts.context_kind(d.decorator) for d in helper.decorators]
        contexts = [kind for kind in decorated if kind]
        for kind in contexts:
            states = _add(states, Event(Act.ENTER, call, kind))
        words, self._words = self._words, {}
        self._frame = _Frame(given, (*outer.functions, helper))
        states = self.block(helper.body, states)
        self._frame, self._words = outer, words
        for kind in contexts:
            states = _add(states, Event(Act.LEAVE, call, kind), over=True)
        states = [replace(s, end="") if s.end == "return" else s for s in states]
        return _merged(states)

    def _given(self, call: cst.Call, helper: cst.FunctionDef) -> Iterator[tuple[str, Thing]]:
        """What the parameters of a helper stand for."""
        params = [*helper.params.posonly_params, *helper.params.params]
        if isinstance(call.func, cst.Attribute) and params and not _is_static(helper):
            yield params[0].name.value, Thing("self", params[0].name)
            params = params[1:]
        every = [*params, *helper.params.kwonly_params]
        bound = arguments(call, *(p.name.value for p in params))
        for param in every:
            name, value = param.name.value, bound.get(param.name.value)
            if value is not None:
                yield name, self._thing(value)
            elif bound.complete and param.default is not None:
                yield name, Thing(self._file.code(param.default), param.default)
            else:
                yield name, Thing(f"{helper.name.value}.{name}", param.name)

    def _thing(self, node: cst.CSTNode) -> Thing:
        """What an expression stands for where the region began."""
        assert isinstance(node, cst.BaseExpression)
        if isinstance(node, cst.Name):
            if node.value in self._frame.given:
                return self._frame.given[node.value]
            return self._alias(node)
        if isinstance(node, cst.Attribute):
            owner = self._thing(node.value)
            if node.attr.value == "module":
                return owner
            return Thing(f"{owner.text}.{node.attr.value}", node)
        return Thing(self._file.code(node), node)

    def _alias(self, node: cst.Name) -> Thing:
        """`opt = self.optimizer` once: the same thing."""
        bound = self._names.bound(node)
        value = bound[0].node if len(bound) == 1 and bound[0].kind == "assign" else None
        if isinstance(value, cst.Attribute) and dotted_text(value).startswith("self."):
            return Thing(dotted_text(value), value)
        return Thing(node.value, node)

    def _word(self, node: cst.CSTNode) -> str:
        """A part of a test, in the words of the region."""
        if node not in self._words:
            self._words[node] = self._worded(node)
        return self._words[node]

    def _worded(self, node: cst.CSTNode) -> str:
        if isinstance(node, (cst.Name, cst.Attribute)):
            return self._thing(node).text
        text = self._file.code(node)
        for name, thing in self._frame.given.items():
            text = re.sub(rf"(?<![\w.]){re.escape(name)}\b", lambda _, t=thing: t.text, text)  # type: ignore[misc]
        return text


_ENDS: dict[type, str] = {
    cst.Return: "return",
    cst.Raise: "raise",
    cst.Continue: "continue",
    cst.Break: "break",
}


def _body(part: cst.CSTNode) -> cst.CSTNode:
    """The block of an else or finally."""
    return part.body if isinstance(part, (cst.Else, cst.Finally)) else part


def _add(states: Iterable[Path], event: Event, over: bool = False) -> list[Path]:
    return [replace(s, events=(*s.events, event)) if over or not s.end else s for s in states]


def _merged(states: Iterable[Path]) -> list[Path]:
    """Ways that did the same are one; of their conditions the common ones stay."""
    same: dict[tuple[tuple[Event, ...], str, frozenset[ScaledLoss]], Conditions] = {}
    for s in states:
        key = (s.events, s.end, s.scaled)
        same[key] = same[key] & s.conditions if key in same else s.conditions
    return _few(
        [Path(events, common, end, scaled=scaled) for (events, end, scaled), common in same.items()]
    )


def _few(states: list[Path]) -> list[Path]:
    unique = list(dict.fromkeys(states))
    if len(unique) > _MOST or any(len(state.events) > _LONGEST for state in unique):
        raise TooManyPaths
    return unique


def _is_static(function: cst.FunctionDef) -> bool:
    return any(dotted_text(d.decorator) == "staticmethod" for d in function.decorators)
