"""Other arguments for a constructor that refused the first ones."""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable, Iterator
from typing import Any

from torch import nn

from lintorch.guest.construct.arguments_by_error import (
    Arguments,
    asked_for,
    choices,
    of_length,
    passed_on,
)
from lintorch.guest.construct.conventional_values import Guessed
from lintorch.guest.construct.fill_arguments import CONFIG_NAMES
from lintorch.guest.process.error_text import kind_of, text_of

_SEVERAL = re.compile(r"iterable|len\(\)|subscriptable|unpack|tuple|list|sequence|zip|out of range")
_NUMBERS: tuple[Any, ...] = (
    *((2, 2), (8, 16, 32), (64, 64), (2, 2, 2, 2), (32, 32, 32), (16,) * 12),
    *(8, 1, 3, 64, 96, 16, 224),
)
_PARTS: tuple[Any, ...] = (nn.Identity(), nn.ReLU, nn.BatchNorm2d, 8)
_MOST = 80


def retries(call: Callable[..., Any], given: Arguments, message: str) -> Iterator[Arguments]:
    """Arguments to try after `given` ended in an error of this message, the most likely first."""
    for name, value in given.items():
        if name in CONFIG_NAMES and not isinstance(value, Guessed):
            yield {**given, name: Guessed()}
    if further := passed_on(call, given, message):
        yield {**given, **further}
    asked = asked_for(call, given, message)
    if asked:
        yield {**given, **asked}
    if len(asked) > 1:
        yield from ({**given, name: value} for name, value in asked.items())
    for word in choices(message):
        for name, value in given.items():
            if isinstance(value, str) and word != value:
                yield {**given, name: word}
    yield from of_length(given, message)
    named = [name for name in given if re.search(rf"(?<!\w){name}(?!\w)", message)]
    several = bool(_SEVERAL.search(message))
    numbers = sorted(_NUMBERS, key=lambda value: isinstance(value, tuple) != several)
    for name in named:
        yield from _others(given, name, numbers)
    for name in given:
        if name not in named:
            yield from _others(given, name, numbers[:6])


def _others(given: Arguments, name: str, numbers: list[Any]) -> Iterator[Arguments]:
    """The arguments with one of them changed."""
    for value in numbers if _is_number(given[name]) else _PARTS:
        if value != given[name]:
            yield {**given, name: value}


def settled(
    make: Callable[[Arguments], Any],
    call: Callable[..., Any],
    first: Arguments,
    patient: Callable[[], bool],
) -> tuple[Any, Arguments]:
    """What `make` gives for the first arguments that it takes, and those.

    Raises its first error; where something is not installed or cannot be fetched, that.
    """
    waiting: list[tuple[Arguments, int]] = [(first, 0)]
    seen: set[str] = set()
    errors: list[Exception] = []
    tried = 0
    while waiting and tried < _MOST and (not tried or patient()):
        given, depth = waiting.pop(0)
        tried += 1
        try:
            return make(given), given
        except Exception as error:  # whatever user code raises
            errors.append(error)
            told = f"{kind_of(error)}: {text_of(error)}"
            if (
                told not in seen
                and depth < 4
                and not isinstance(error, (ImportError, OSError, NameError))
            ):
                seen.add(told)
                waiting[:0] = [(other, depth + 1) for other in retries(call, given, _lines(error))]
    lacking = (error for error in errors if isinstance(error, (ImportError, OSError)))
    raise next(lacking, errors[0])


def _lines(error: Exception) -> str:
    """The message, and the lines that it came from: they name what was refused."""
    frames = traceback.extract_tb(error.__traceback__)[-4:]
    return " ".join([text_of(error), *(frame.line or "" for frame in frames)])


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, tuple, list)) and not isinstance(value, bool)
