"""Other arguments for a constructor that refused the first ones."""

from __future__ import annotations

import copy
import inspect
import linecache
import re
import traceback
from collections.abc import Callable, Iterator
from typing import Any

from torch import nn

from lintorch.guest.construct.arguments_by_error import (
    ConstructorArguments,
    fill_missing_keywords,
    fill_named_optionals,
    find_offered_words,
    make_vocabularies,
    resize_sequences,
    spread_defaults,
    spread_items,
    take_offered_numbers,
    turn_into_lists,
)
from lintorch.guest.construct.array_arguments import suggest_tensors
from lintorch.guest.construct.conventional_values import GuessedConfig
from lintorch.guest.construct.fill_arguments import CONFIG_NAMES
from lintorch.guest.construct.found_settings import guess_setting_by_name, make_found_settings
from lintorch.guest.construct.make_sequence import make_sequence
from lintorch.guest.construct.setting_paths import find_settings_read
from lintorch.guest.process.error_text import class_name_of, text_of

_SEVERAL = re.compile(r"iterable|len\(\)|subscriptable|unpack|tuple|list|sequence|zip|out of range")
"""A message that asks for several values where one was given."""
_ATTRIBUTE_OF_PLAIN = re.compile(r"'(?:int|float|str)' object has no attribute '(\w+)'")
_ATTRIBUTE_OF_CONFIG = re.compile(r"'(\w*Config)' object has no attribute '(\w+)'")
_NUMBERS: tuple[Any, ...] = (
    *((2, 2), (8, 16, 32), (64, 64), (2, 2, 2, 2), (32, 32, 32), (16,) * 12),
    *(8, 1, 3, 64, 96, 16, 224),
)
"""What is tried in place of a number or a sequence of them, the likeliest first."""
_PARTS: tuple[Any, ...] = (nn.Identity(), nn.ReLU, nn.BatchNorm2d, 8)
"""What is tried in place of a part of a model or its class, the likeliest first."""
_MOST_CALLS = 80
"""Calls of one constructor, at most; the caller's seconds bound them too."""
_MOST_REFUSALS = 4
"""Refusals in a row after which a line of arguments is given up."""
_FEW_NUMBERS = 6
"""How many of `_NUMBERS` are tried for an argument that the message does not name."""
_QUOTED_FRAMES = 4
"""Innermost frames of a traceback whose lines are read for names of arguments."""


def suggest_arguments(
    call: Callable[..., Any], given: ConstructorArguments, message: str
) -> Iterator[ConstructorArguments]:
    """Arguments to try after `given` ended in an error of this message, the most likely first."""
    yield from suggest_tensors(call, given, message)
    yield from turn_into_lists(given, message)
    yield from make_vocabularies(given, message)
    yield from spread_items(given, message)
    yield from _make_objects(call, given, message)
    yield from _complete_configs(given, message)
    for name, value in given.items():
        if name in CONFIG_NAMES and not isinstance(value, GuessedConfig):
            yield {**given, name: GuessedConfig()}
    if further := fill_missing_keywords(call, given, message):
        yield {**given, **further}
    yield from spread_defaults(call, given, message)
    optionals = fill_named_optionals(call, given, message)
    if optionals:
        yield {**given, **optionals}
    if len(optionals) > 1:
        yield from ({**given, name: value} for name, value in optionals.items())
    for word in find_offered_words(message):
        for name, value in given.items():
            if isinstance(value, str) and word != value:
                yield {**given, name: word}
    yield from take_offered_numbers(given, message)
    yield from resize_sequences(given, message)
    named = [name for name in given if re.search(rf"(?<!\w){name}(?!\w)", message)]
    several = bool(_SEVERAL.search(message))
    numbers = sorted(_NUMBERS, key=lambda value: isinstance(value, tuple) != several)
    for name in named:
        yield from _replace_argument(given, name, numbers)
    for name in given:
        if name not in named:
            yield from _replace_argument(given, name, numbers[:_FEW_NUMBERS])


def _make_objects(
    call: Callable[..., Any], given: ConstructorArguments, message: str
) -> Iterator[ConstructorArguments]:
    """The arguments with settings for a number or word of which an attribute is asked: `action_space.n`."""
    asked = _ATTRIBUTE_OF_PLAIN.search(message)
    for name, value in given.items() if asked else ():
        read = {use.path[0] for use in find_settings_read(call, name)}
        if asked and type(value) in (int, float, str) and asked.group(1) in read:
            yield {**given, name: make_found_settings(call, name)}


def _complete_configs(given: ConstructorArguments, message: str) -> Iterator[ConstructorArguments]:
    """The arguments with a configuration of a package that has what a project puts into it besides: `config.cls_only`."""
    asked = _ATTRIBUTE_OF_CONFIG.search(message)
    for name, value in given.items() if asked else ():
        if asked and type(value).__name__ == asked[1] and hasattr(value, "model_type"):
            completed = copy.deepcopy(value)
            setattr(completed, asked[2], guess_setting_by_name(asked[2]))
            yield {**given, name: completed}


def _replace_argument(
    given: ConstructorArguments, name: str, numbers: list[Any]
) -> Iterator[ConstructorArguments]:
    """The arguments with one of them changed; an array stays what it is."""
    if hasattr(given[name], "__array__"):
        return
    for value in numbers if _is_number(given[name]) else _PARTS:
        if isinstance(value, tuple) and "kernel" in name:  # an even one does not keep a size
            value = make_sequence(name, len(value))
        if value != given[name]:
            yield {**given, name: value}


def search_arguments(
    make: Callable[[ConstructorArguments], Any],
    call: Callable[..., Any],
    first: ConstructorArguments,
    patient: Callable[[], bool],
) -> tuple[Any, ConstructorArguments]:
    """What `make` gives for the first arguments that it takes, and those.

    Raises its first error; where something is not installed or cannot be fetched, that.
    """
    waiting: list[tuple[ConstructorArguments, int]] = [(first, 0)]
    seen: set[str] = set()
    errors: list[Exception] = []
    tried = 0
    while waiting and tried < _MOST_CALLS and (not tried or patient()):
        given, depth = waiting.pop(0)
        tried += 1
        try:
            return make(given), given
        except Exception as error:  # whatever user code raises
            errors.append(error)
            text = f"{class_name_of(error)}: {text_of(error)}"
            if (
                text not in seen
                and depth < _MOST_REFUSALS
                and not isinstance(error, (ImportError, OSError, NameError))
            ):
                seen.add(text)
                waiting[:0] = [
                    (other, depth + 1)
                    for other in suggest_arguments(call, given, _quote_error(error))
                ]
    lacking = (error for error in errors if isinstance(error, (ImportError, OSError)))
    raise next(lacking, errors[0])


def _quote_error(error: Exception) -> str:
    """The message, and the lines that it came from: they name what was refused."""
    frames = traceback.extract_tb(error.__traceback__)[-_QUOTED_FRAMES:]
    lines = (frame.line or "" for frame in frames)
    return " ".join([text_of(error), *lines, *_name_asked(error), *_offer_keys(error)])


def _name_asked(error: Exception) -> Iterator[str]:
    """The names that what was asked for an attribute goes by, where it was passed on."""
    asked = getattr(error, "obj", None)
    if type(asked) in (list, tuple):
        for frame, _ in traceback.walk_tb(error.__traceback__):
            yield from (name for name, value in frame.f_locals.items() if value is asked)


def _offer_keys(error: Exception) -> Iterator[str]:
    """The words of a mapping that lacks the one that it was asked for: `self.kinds[kind.lower()]`."""
    frames = list(traceback.walk_tb(error.__traceback__)) if isinstance(error, KeyError) else []
    for frame, row in frames[-1:]:
        line = linecache.getline(frame.f_code.co_filename, row)
        scope = {**frame.f_globals, **frame.f_locals}
        owner = frame.f_locals.get("self")
        for name in dict.fromkeys(re.findall(r"\w+", line)):
            held = scope.get(name, inspect.getattr_static(owner, name, None))
            if type(held) is dict and held and all(type(key) is str for key in held):
                yield f"one of {', '.join(map(repr, held))}"
            if type(held) is dict and held and all(type(key) is int for key in held):
                yield f"one of the numbers {', '.join(map(str, held))}"


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, tuple, list)) and not isinstance(value, bool)
