"""Whole numbers read from a tensor's shape that tell when Python turns them into something a tracer cannot follow.

A `Sized` is an int in every respect, and a `SizedFloat` a float: both only report, to the listener of
`listening`, that they were converted, rounded, compared, or floor-divided with a negative operand.
Numbers worked out from them with + - * / // % ** report as well.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, cast

Listener = Callable[[str, Any, Mapping[str, Any]], None]
_listener: Listener | None = None


@contextmanager
def listening(listener: Listener | None) -> Iterator[None]:
    """Within, `listener(question, answer, operands)` hears every question; None hears nothing."""
    global _listener
    before, _listener = _listener, listener
    try:
        yield
    finally:
        _listener = before


def tell(question: str, answer: Any, value: Any, **operands: Any) -> Any:
    """Tell the listener what was asked and the plain `value` of the answer; give the answer back."""
    if _listener is not None:
        _listener(question, value, {name: plain(part) for name, part in operands.items()})
    return answer


def _tell(question: str, answer: Any, **operands: Any) -> Any:
    return tell(question, answer, answer, **operands)


def plain(value: Any) -> Any:
    """The number itself, without the habit of reporting."""
    if isinstance(value, Sized):
        return int.__index__(cast(int, value)) + 0
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    return float.__add__(cast(float, value), 0.0) if isinstance(value, SizedFloat) else value


def sized(value: Any) -> Any:
    """A number that reports, or anything else as it is."""
    if isinstance(value, int) and not isinstance(value, bool):
        return Sized(value)
    return SizedFloat(value) if isinstance(value, float) else value


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _computed(function: Callable[..., Any], swapped: bool = False) -> Callable[..., Any]:
    def method(self: Any, other: Any, *rest: Any) -> Any:
        if rest or not isinstance(other, (int, float)):
            if function is operator.mul and isinstance(other, list):
                _tell("size.repeat", plain(self))
            return NotImplemented
        left, right = (other, self) if swapped else (self, other)
        left, right = plain(left), plain(right)
        answer = function(left, right)
        if function is operator.floordiv and (left < 0 or right < 0):
            _tell("size.floordiv", answer, left=left, right=right)
        return sized(answer)

    return method


def _compared(symbol: str, function: Callable[[Any, Any], bool]) -> Callable[..., Any]:
    def method(self: Any, other: Any) -> Any:
        if not _number(other):
            return NotImplemented
        left, right = plain(self), plain(other)
        return _tell("size.compare", function(left, right), left=left, operator=symbol, right=right)

    return method


def _asked(question: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: Any, *rest: Any) -> Any:
        return _tell(question, function(plain(self), *rest), operand=self)

    return method


def _reporting(kind: type) -> dict[str, Any]:
    """The methods that `Sized` and `SizedFloat` have in common."""
    methods: dict[str, Any] = {"__slots__": (), "__hash__": kind.__hash__}
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
        function = getattr(operator, name)
        methods[f"__{name}__"] = _computed(function)
        methods[f"__r{name}__"] = _computed(function, swapped=True)
    methods |= {"__divmod__": _divided(False), "__rdivmod__": _divided(True)}
    for name, symbol in _COMPARISONS.items():
        methods[f"__{name}__"] = _compared(symbol, getattr(operator, name))
    for name, question in _QUESTIONS.items():
        methods[f"__{name}__"] = _asked(question, getattr(kind, f"__{name}__"))
    for name in ("neg", "pos", "abs"):
        methods[f"__{name}__"] = _unary(getattr(operator, name))
    return methods


def _divided(swapped: bool) -> Callable[..., Any]:
    divide, remain = _computed(operator.floordiv, swapped), _computed(operator.mod, swapped)

    def method(self: Any, other: Any) -> Any:
        quotient, rest = divide(self, other), remain(self, other)
        return quotient if quotient is NotImplemented else (quotient, rest)

    return method


def _unary(function: Callable[[Any], Any]) -> Callable[..., Any]:
    return lambda self: sized(function(plain(self)))


_COMPARISONS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}
_QUESTIONS = {
    "int": "size.int",
    "trunc": "size.int",
    "floor": "size.int",
    "float": "size.float",
    "ceil": "size.ceil",
    "round": "size.round",
    "bool": "size.compare",
}
Sized = type("Sized", (int,), _reporting(int))
SizedFloat = type("SizedFloat", (float,), _reporting(float))
