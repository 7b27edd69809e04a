"""Which values surely need no gradient, and which operations cut them off from the weights of a model."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from functools import cached_property

from lintorch.evaluator.events import (
    AttributeSet,
    Called,
    Compared,
    Indexed,
    ItemSet,
    Occurrence,
)
from lintorch.evaluator.unknown_objects import ModelOutput, ScaledLoss, UnknownCalled
from lintorch.evaluator.values import (
    FALSE,
    TRUE,
    Array,
    Choice,
    Constant,
    Held,
    Items,
    Number,
    Tensor,
    Unknown,
    Value,
)
from lintorch.facts.models.cutting_operations import (
    CUTTING,
    LEAVING,
    MAKING,
    PLAIN_LAYERS,
    READING,
    asks_for_gradient,
    is_data,
    is_in_place,
    is_whole,
    list_tensors_given,
    turns_on,
)
from lintorch.facts.models.gradient_graphs import has_weights
from lintorch.facts.models.operation_steps import name_operation
from lintorch.facts.models.quiet_stretches import QuietStretches, find_quiet_stretches
from lintorch.facts.models.value_ways import Operation, ValueWays, is_common, list_operands
from lintorch.facts.training.part_values import Parts
from lintorch.facts.training.roles import Role

Cuts = tuple[Occurrence, ...]
"""The operations that cut a value off; empty where it was made of nothing that has a gradient."""

_COMPARING = re.compile(
    r"crit(erion)?|(loss|mse|l1|bce|ce|cross_entropy)_?(fn|func|function|loss)?|loss_?f", re.I
)
"""Names of losses that are handed to a function."""
_DEEPEST = 60
_MOST = 300


class CutGradients:
    """Asks the values of one root. None stands for what needs a gradient, or may."""

    def __init__(self, events: tuple[Occurrence, ...], ways: ValueWays) -> None:
        self._events, self._ways, self._parts = events, ways, Parts(events)
        self._found: dict[int, Cuts | None] = {}

    def find_cuts(self, value: Value | None) -> Cuts | None:
        """What cut a value off from models; None where it may need a gradient, or nothing cut it off."""
        if value is None:
            return None
        if isinstance(value, ScaledLoss):
            scaled = self._ways.find_unknown_maker(value)
            return self.find_cuts(scaled.given.positional[0]) if scaled is not None else None
        cuts = self._ask(value, 0)
        if not cuts:
            return None
        deep = tuple(each for each in cuts if self._is_of_model(each))
        if self._touches_data(value):
            return deep or None
        return deep or cuts

    def list_cuts(self, value: Value) -> Cuts:
        """All that cut a value off; nothing where it may need a gradient."""
        return self._ask(value, 0) or ()

    def is_quiet(self, event: Occurrence) -> bool:
        """Whether something surely happens while no gradients are recorded."""
        return id(event) in self._quiet.sure

    def find_hidden(self, value: Value) -> Cuts | None:
        """The same of what is told itself to need a gradient."""
        made = self._ways.find_maker(value)
        if made is None or name_operation(made) == "requires_grad_":
            return None
        cuts = self._of_operation(made, value, 0)
        return tuple(filter(self._is_of_model, cuts or ())) or None

    def find_switch(self, value: Value) -> Occurrence | None:
        """`loss.requires_grad = True` of a value."""
        return next(
            (
                each
                for each in self._events
                if isinstance(each, AttributeSet) and each.held is value
                if each.attribute == "requires_grad" and each.value == TRUE
            ),
            None,
        )

    def _ask(self, value: Value, depth: int) -> Cuts | None:
        """By what a value was cut off, as far as it surely has no gradient."""
        if id(value) not in self._found:
            self._found[id(value)] = None  # of what is a part of itself nothing is known
            if depth < _DEEPEST and id(value) not in self._turned_on:
                self._found[id(value)] = self._judge(value, depth)
        return self._found[id(value)]

    def _judge(self, value: Value, depth: int) -> Cuts | None:
        if isinstance(value, (Constant, Number, Array)):
            return self._of_numbers(value, depth)
        if isinstance(value, Items):
            return self._join(value.items, depth) if value.items is not None else None
        if isinstance(value, Choice):
            return self._join(value.alternatives, depth)
        made = self._ways.find_maker(value)
        if made is not None and not _takes_out(made):
            return None if id(value) in self._written else self._of_operation(made, value, depth)
        called = self._ways.find_unknown_maker(value)
        if called is not None:
            return self._of_unknown(called, depth)
        asked = self._ways.find_comparison(value)
        if asked is not None:
            before = self._join((asked.left, asked.right), depth)
            return (asked,) if before is None else before
        if isinstance(value, Tensor) and value.arms:
            return self._join(value.arms, depth)
        return () if is_data(value) else None

    def _of_numbers(self, value: Value, depth: int) -> Cuts:
        """What read numbers or an array off a tensor."""
        made = self._ways.find_maker(value)
        counted = isinstance(value, Number) and not value.data  # `len(outputs)` reads no data
        if made is None or counted or is_common(value):
            return ()
        before = self._join(list_tensors_given(made), depth)
        return (made,) if before is None else before

    def _join(self, values: Iterable[Value], depth: int) -> Cuts | None:
        found: dict[int, Occurrence] = {}
        for each in values:
            cuts = self._ask(each, depth + 1)
            if cuts is None:
                return None
            found.update({id(cut): cut for cut in cuts})
        return tuple(found.values())

    def _of_operation(self, made: Operation, value: Value, depth: int) -> Cuts | None:
        if asks_for_gradient(made):
            return None
        name = name_operation(made)
        own = not isinstance(made, Called) or made.name.startswith("torch.")
        plain = not isinstance(made, Called) or not made.name.endswith(".forward")
        whole = is_whole(value)
        operands = list(list_tensors_given(made))
        before = self._join(operands, depth)
        if own and plain and (name in MAKING - READING):
            return ()
        if isinstance(made, Called) and made.name == "torch.autograd.grad":
            asked = made.open or made.keyword.get("create_graph", FALSE) != FALSE
            return None if asked or len(made.positional) > 4 else (made,)
        if id(made) in self._quiet.sure or (own and plain and (name in CUTTING | READING or whole)):
            return (made,) if before is None else before
        if isinstance(made, Called) and not plain and not PLAIN_LAYERS.match(made.name):
            return None
        return before if own else None

    def _of_unknown(self, called: UnknownCalled, depth: int) -> Cuts | None:
        if id(called) in self._quiet.sure or called.method in CUTTING:
            return (called,)
        held = called.held
        if called.method in LEAVING and not isinstance(held, ModelOutput):
            return self._join((held,), depth)
        return self._join(called.given.values, depth) if self._compares(called) else None

    def _compares(self, called: UnknownCalled) -> bool:
        """Whether it is a loss, by its name, that is given what it compares by position."""
        func = called.node.func if isinstance(called.node, ast.Call) else None
        named = isinstance(func, (ast.Name, ast.Attribute)) and not called.given.open
        if not named or called.given.keyword or len(called.given.positional) != 2:
            return False
        return _COMPARING.fullmatch(ast.unparse(func).rpartition(".")[2]) is not None  # type: ignore[arg-type]

    def _is_of_model(self, cut: Occurrence) -> bool:
        """Whether what was cut off came out of a model, or is a weight."""
        waiting: list[Value] = []
        if isinstance(cut, UnknownCalled):
            waiting += (cut.held, cut.result, *cut.given.values)
        elif isinstance(cut, Compared):
            waiting += (cut.left, cut.right)
        elif isinstance(cut, Operation):
            waiting += (*list_tensors_given(cut), cut.result)
        seen: set[int] = set()
        while waiting and len(seen) < _MOST:
            value = waiting.pop()
            if id(value) in seen or is_common(value):
                continue
            seen.add(id(value))
            if isinstance(value, ModelOutput):
                return True
            if isinstance(value, Tensor) and value.origin == "parameter":
                return True
            made = self._ways.find_maker(value) or self._ways.find_unknown_maker(value)
            if isinstance(made, Called) and has_weights(made):
                return True
            if isinstance(made, UnknownCalled):
                if self._is_model(made):
                    return True
                waiting += (made.held, *made.given.values)
            elif made is not None:
                waiting += list_operands(made)
            waiting += value.arms if isinstance(value, Tensor) else ()
            waiting += value.items or () if isinstance(value, Items) else ()
        return False

    def _touches_data(self, value: Value) -> bool:
        """Whether anything that is given from outside, of which nothing is known, is a part of it."""
        waiting, seen = [value], set[int]()
        while waiting and len(seen) < _MOST:
            each = waiting.pop()
            if id(each) in seen:
                continue
            seen.add(id(each))
            made = self._ways.find_maker(each) or self._ways.find_unknown_maker(each)
            asked = self._ways.find_comparison(each)
            if asked is not None:
                waiting += (
                    () if asked in (self._found.get(id(each)) or ()) else (asked.left, asked.right)
                )
                continue
            if made is None and (is_data(each) or isinstance(each, Unknown)):
                return True
            if made is not None and (cuts := self._found.get(id(each))) and made in cuts:
                continue
            if isinstance(made, UnknownCalled):
                waiting.append(made.held)
            elif made is not None:
                waiting += list_tensors_given(made)
            waiting += each.arms if isinstance(each, Tensor) else ()
            waiting += each.items or () if isinstance(each, Items) else ()
        return False

    def _is_model(self, called: UnknownCalled) -> bool:
        """Whether a model is what is called, or has the method, told by what else is called on it, or by its name."""
        func = called.node.func if isinstance(called.node, ast.Call) else None
        held = func.value if called.method and isinstance(func, ast.Attribute) else func
        text = "" if held is None else ast.unparse(held)
        return self._parts.role_of(called.held, text) is Role.MODEL

    @cached_property
    def _quiet(self) -> QuietStretches:
        return find_quiet_stretches(self._events, self._ways)

    @cached_property
    def _turned_on(self) -> frozenset[int]:
        """What is told to need a gradient, with all that it was moved from."""
        found: set[int] = set()
        for event in self._events:
            if isinstance(event, AttributeSet) and event.attribute == "requires_grad":
                found.add(id(event.held))
            elif turns_on(event):
                held = event.positional[:1] if isinstance(event, Called) else (event.held,)  # type: ignore[attr-defined]
                found.update(map(id, (*held, event.result)))  # type: ignore[attr-defined]
        return frozenset(found)

    @cached_property
    def _written(self) -> frozenset[int]:
        """What is written to in place, also through views."""
        found: set[int] = set()
        for event in self._events:
            held: Value | None = None
            if isinstance(event, ItemSet):
                held = event.held
            elif isinstance(event, Called) and is_in_place(event) and event.positional:
                held = event.positional[0]
            for _ in range(_DEEPEST):
                if held is None or id(held) in found:
                    break
                found.add(id(held))
                made = self._ways.find_maker(held)
                held = next(list_tensors_given(made), None) if made is not None else None
        return frozenset(found)


def _takes_out(made: Operation) -> bool:
    """`losses["total"]` of a dictionary or list, which gives what was put in."""
    return isinstance(made, Indexed) and isinstance(made.held, Held) and made.held.kind != "object"
