"""Whole numbers read from a tensor's shape that tell when Python turns them into something a tracer cannot follow.

A `Sized` is an int in every respect, and a `SizedFloat` a float: both only report, to the listener of
`hear_questions`, that they were converted, rounded, compared, or floor-divided with a negative operand.
Numbers worked out from them with + - * / // % ** report as well.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, cast

from lintorch.record.events import (
    RunEvent,
    SizeCompared,
    SizeDivided,
    SizeParted,
    SizeRead,
    SizeUse,
)

Listener = Callable[[type[RunEvent], Mapping[str, Any]], None]
_listener: Listener | None = None


@contextmanager
def hear_questions(listener: Listener | None) -> Iterator[None]:
    """Within, `listener(kind, parts)` hears every question: its class and fields; None hears nothing."""
    global _listener
    before, _listener = _listener, listener
    try:
        yield
    finally:
        _listener = before


def tell_listener(kind: type[RunEvent], **parts: Any) -> None:
    """Tell the listener what was asked: a class of events, and its fields."""
    if _listener is not None:
        _listener(kind, {name: as_plain(part) for name, part in parts.items()})


def as_plain(value: Any) -> Any:
    """The number itself, without the habit of reporting."""
    if isinstance(value, Sized):
        return int.__index__(cast(int, value)) + 0
    if isinstance(value, tuple):
        return tuple(map(as_plain, value))
    return float.__add__(cast(float, value), 0.0) if isinstance(value, SizedFloat) else value


def as_sized(value: Any) -> Any:
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
                tell_listener(SizeRead, how=SizeUse.REPEAT, value=self)
            return NotImplemented
        left, right = (other, self) if swapped else (self, other)
        left, right = as_plain(left), as_plain(right)
        answer = function(left, right)
        if function is operator.floordiv and (left < 0 or right < 0):
            tell_listener(SizeDivided, left=left, right=right, value=answer)
        if function in _PARTING and not swapped and right > 1 and not isinstance(other, _SIZED):
            tell_listener(SizeParted, left=abs(left), right=right)
        return as_sized(answer)

    return method


def _compared(symbol: str, function: Callable[[Any, Any], bool]) -> Callable[..., Any]:
    def method(self: Any, other: Any) -> Any:
        if not _number(other):
            return NotImplemented
        left, right = as_plain(self), as_plain(other)
        answer = function(left, right)
        tell_listener(SizeCompared, left=left, operator=symbol, right=right, value=answer)
        return answer

    return method


def _converted(how: SizeUse, function: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: Any, *rest: Any) -> Any:
        answer = function(as_plain(self), *rest)
        tell_listener(SizeRead, how=how, operand=self, value=answer)
        return answer

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
    for name, how in _CONVERSIONS.items():
        methods[f"__{name}__"] = _converted(how, getattr(kind, f"__{name}__"))
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
    return lambda self: as_sized(function(as_plain(self)))


_PARTING = (operator.floordiv, operator.mod)
_COMPARISONS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}
_CONVERSIONS = {
    "int": SizeUse.INT,
    "trunc": SizeUse.INT,
    "floor": SizeUse.INT,
    "float": SizeUse.FLOAT,
    "ceil": SizeUse.CEIL,
    "round": SizeUse.ROUND,
    "bool": SizeUse.TRUTH,
}
Sized = type("Sized", (int,), _reporting(int))
SizedFloat = type("SizedFloat", (float,), _reporting(float))
_SIZED = (Sized, SizedFloat)
