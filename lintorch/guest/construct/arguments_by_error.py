"""Arguments that the error of a constructor asks for."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from lintorch.guest.construct.conventional_values import by_name
from lintorch.guest.construct.fill_arguments import fill
from lintorch.guest.construct.parameters import reached
from lintorch.guest.construct.sequences import sequence

Arguments = Mapping[str, Any]
_CHOICE = re.compile(r"\b(?:one of|available|supported|choose from|options)\b(.{1,400})", re.DOTALL)
_MISSING = re.compile(r"missing \d+ required [\w-]+ arguments?: (.*)")
_LONGEST = 12


def of_length(given: Arguments, message: str) -> Iterator[Arguments]:
    """The sequences that the message names, as long as it says; then all of them at other lengths."""
    several = {name: value for name, value in given.items() if isinstance(value, (tuple, list))}
    if "'int' object is not" in message:
        ints = [name for name, value in given.items() if type(value) is int]
        asked = [name for name in ints if re.search(rf"(?<!\w){name}(?!\w)", message)]
        for names in (asked, *([name] for name in asked)):
            yield {**given, **{name: (given[name],) * 2 for name in names}}
    if "'tuple'" in message:
        yield {**given, **{name: list(value) for name, value in several.items()}}
    named = [name for name in several if re.search(rf"(?<!\w){name}(?!\w)", message)]
    for length in dict.fromkeys(int(n) for n in re.findall(r"(?<![\w.])\d{1,2}(?![\w.])", message)):
        if 2 <= length <= _LONGEST:
            for name in named:
                longer = _longer(name, several[name], length)
                yield {**given, name: longer}
                if longer[-1] is True:
                    yield {**given, name: (False,) * length}
    for length in (4, 2, 5) if len(several) > 1 else ():
        yield {**given, **{n: _longer(n, value, length) for n, value in several.items()}}


def _longer(name: str, value: Sequence[Any], length: int) -> Sequence[Any]:
    """A sequence of the same kind with that length."""
    made = sequence(name, length, "bool" if all(isinstance(part, bool) for part in value) else "")
    return list(made) if isinstance(value, list) else made


def choices(message: str) -> list[str]:
    """Words that the message offers: those in quotes, else the first ones."""
    found = []
    for text in _CHOICE.findall(message):
        quoted = re.findall(r"['\"]([\w.+/-]+)['\"]", text)
        found += (quoted or re.findall(r"[A-Za-z][\w.-]*\w", text))[:4]
    return list(dict.fromkeys(found))


def asked_for(call: Callable[..., Any], given: Arguments, message: str) -> dict[str, Any]:
    """Values for optional arguments that default to None and that the message names."""
    missing = [
        p
        for p in reached(call)
        if p.default is None
        and p.name not in given
        and re.search(rf"(?<!\w){p.name}(?!\w)", message)
    ]
    return fill(call, missing)


def passed_on(call: Callable[..., Any], given: Arguments, message: str) -> dict[str, Any]:
    """Values for arguments that a call takes as `**kwargs` and that what it calls is missing."""
    try:
        kinds = [parameter.kind for parameter in inspect.signature(call).parameters.values()]
    except (TypeError, ValueError):
        return {}
    missing = _MISSING.search(message)
    if missing is None or inspect.Parameter.VAR_KEYWORD not in kinds:
        return {}
    names = re.findall(r"'(\w+)'", missing[1])
    return {name: by_name(name) for name in names if name not in given}
