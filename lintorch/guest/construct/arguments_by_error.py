"""Arguments that the error of a constructor asks for."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from lintorch.guest.construct.array_arguments import make_graph_setting
from lintorch.guest.construct.conventional_values import (
    guess_by_name,
    make_table,
    make_vocabulary,
    names_vocabulary,
)
from lintorch.guest.construct.fill_arguments import fill_arguments
from lintorch.guest.construct.make_sequence import make_sequence
from lintorch.guest.construct.parameters import (
    list_reachable_parameters,
    list_required_parameters,
)
from lintorch.guest.construct.project_settings import find_shipped_number
from lintorch.guest.construct.sequence_lengths import find_sequence_lengths

ConstructorArguments = Mapping[str, Any]
_OFFER = re.compile(r"\b(?:one of|available|supported|choose from|options)\b(.{1,400})", re.DOTALL)
_NUMBERED = re.compile(r"one of the numbers (\d+)")
_MISSING = re.compile(r"missing \d+ required [\w-]+ arguments?: (.*)")
_GOT = re.compile(r"\w*(?:kwargs|kwds|kw)\.get\(['\"](\w+)['\"]")
_NOT_SEVERAL = re.compile(r"type 'int' is not|'int' object is not (iterable|subscriptable)")
_OF_MAPPING = re.compile(
    r"'int' (?:has no len\(\)|is not iterable)|'int' object (?:is not (?:iterable|subscriptable)"
    r"|has no attribute '(?:items|keys|values|get)')"
)
_ASKED_TABLE = re.compile(r"(?<![\w.])(\w+)\[['\"](\w+)['\"]\]")
_NO_TUPLE = re.compile(r"['\"]tuple['\"]|\(not .list.\) to tuple")
_UNPACKED = re.compile(r"\bfor \(?((?:\w+, ?)+\w+)\)? in (\w+)")
_LONGEST_SEQUENCE = 12
"""Items: a larger number in a message is rather a size than a length."""
_OFFERED = 4
"""Words of one list in a message that are tried, at most."""
_OTHER_LENGTHS = (4, 2, 5)
"""Items that all sequences are made of together, where several of them have to agree."""


def turn_into_lists(given: ConstructorArguments, message: str) -> Iterator[ConstructorArguments]:
    """The arguments with lists for tuples, where the message says that a tuple will not do."""
    tuples = {name: [*value] for name, value in given.items() if isinstance(value, tuple)}
    if tuples and _NO_TUPLE.search(message):
        yield {**given, **tuples}


def spread_items(given: ConstructorArguments, message: str) -> Iterator[ConstructorArguments]:
    """A sequence of numbers as one of pairs, where code takes several out of each: `for n, width in tables`."""
    taken = _UNPACKED.findall(message) if "cannot unpack non-iterable int" in message else ()
    for names, sequence in taken:
        held, many = given.get(sequence), names.count(",") + 1
        if isinstance(held, (tuple, list)) and all(type(item) is int for item in held):
            yield {**given, sequence: [(item,) * many for item in held]}


def make_vocabularies(given: ConstructorArguments, message: str) -> Iterator[ConstructorArguments]:
    """The arguments with words and their numbers for what is called a dictionary and was given as how many there are."""
    names = [name for name, v in given.items() if type(v) is int and names_vocabulary(name)]
    if names and _OF_MAPPING.search(message):
        yield {**given, **{name: make_vocabulary() for name in names}}
    for name, table in _ASKED_TABLE.findall(message):
        held = given.get(name)
        if names_vocabulary(name) and isinstance(held, dict) and table not in held:
            others = {key: value for key, value in held.items() if isinstance(value, dict)}
            yield {**given, name: {**others, table: make_table(table) or make_vocabulary()}}


def resize_sequences(given: ConstructorArguments, message: str) -> Iterator[ConstructorArguments]:
    """The sequences that the message names, as long as it says; then all of them at other lengths."""
    several = {name: value for name, value in given.items() if isinstance(value, (tuple, list))}
    if "'int' object is not" in message:
        ints = [name for name, value in given.items() if type(value) is int]
        named_ints = [name for name in ints if re.search(rf"(?<!\w){name}(?!\w)", message)]
        for names in (named_ints, *([name] for name in named_ints)):
            yield {**given, **{name: (given[name],) * 2 for name in names}}
    named = [name for name in several if re.search(rf"(?<!\w){name}(?!\w)", message)]
    for length in dict.fromkeys(int(n) for n in re.findall(r"(?<![\w.])\d{1,2}(?![\w.])", message)):
        if 2 <= length <= _LONGEST_SEQUENCE:
            for name in named:
                longer = _make_sequence_like(name, several[name], length)
                yield {**given, name: longer}
                if longer[-1] is True:
                    yield {**given, name: (False,) * length}
    for length in _OTHER_LENGTHS if len(several) > 1 else ():
        yield {
            **given,
            **{n: _make_sequence_like(n, value, length) for n, value in several.items()},
        }


def spread_defaults(
    call: Callable[..., Any], given: ConstructorArguments, message: str
) -> Iterator[ConstructorArguments]:
    """A tuple for a default that is one number, where the message names it and asks for several: `levels=(8)`."""
    if not _NOT_SEVERAL.search(message):
        return
    for parameter in list_reachable_parameters(call):
        name, value = parameter.name, parameter.default
        if type(value) is int and name not in given and re.search(rf"(?<!\w){name}(?!\w)", message):
            yield {**given, name: (value,)}


def _make_sequence_like(name: str, value: Sequence[Any], length: int) -> Sequence[Any]:
    """A sequence of the same kind with that length."""
    made = make_sequence(
        name, length, "bool" if all(isinstance(part, bool) for part in value) else ""
    )
    return list(made) if isinstance(value, list) else made


def find_offered_words(message: str) -> list[str]:
    """Words that the message offers: those in quotes, else the first ones."""
    found = []
    for text in _OFFER.findall(message):
        quoted = re.findall(r"['\"]([\w.+/-]+)['\"]", text)
        found += (quoted or re.findall(r"[A-Za-z][\w.-]*\w", text))[:_OFFERED]
    return list(dict.fromkeys(found))


def take_offered_numbers(
    given: ConstructorArguments, message: str
) -> Iterator[ConstructorArguments]:
    """The first key of a mapping of numbers, in place of the number that it lacks: `{18: …, 34: …}[depth]`."""
    offered = _NUMBERED.search(message)
    lacking = re.match(r"\W*(\d+)\b", message)
    for name, value in given.items() if offered and lacking else ():
        if offered and lacking and type(value) is int and value == int(lacking[1]):
            yield {**given, name: int(offered[1])}


def fill_named_optionals(
    call: Callable[..., Any], given: ConstructorArguments, message: str
) -> dict[str, Any]:
    """Values for optional arguments that default to None and that the message names."""
    missing = [
        p
        for p in list_reachable_parameters(call)
        if p.default is None
        and p.name not in given
        and re.search(rf"(?<!\w){p.name}(?!\w)", message)
    ]
    return fill_arguments(call, missing)


def fill_missing_keywords(
    call: Callable[..., Any], given: ConstructorArguments, message: str
) -> dict[str, Any]:
    """Values for arguments that a call takes as `**kwargs` and that what it calls is missing."""
    try:
        kinds = [parameter.kind for parameter in inspect.signature(call).parameters.values()]
    except (TypeError, ValueError):
        return {}
    if inspect.Parameter.VAR_KEYWORD not in kinds:
        return {}
    if keyed := _read_key(call, message):
        graph = make_graph_setting(call, keyed, given)
        made = fill_arguments(call, [_as_parameter(keyed)]) if graph is None else {keyed: graph}
        return {} if keyed in given else made
    if gotten := _GOT.search(message) if "NoneType" in message else None:
        keys = {gotten[1]: None, **dict.fromkeys(_list_got_keys(call))}
        shipped = {key: find_shipped_number(call, key) for key in keys if key not in given}
        known = {key: number for key, number in shipped.items() if number is not None}
        return fill_arguments(call, [_as_parameter(gotten[1])]) | known if shipped else {}
    missing = _MISSING.search(message)
    if missing is None:
        return {}
    names = [name for name in re.findall(r"'(\w+)'", missing[1]) if name not in given]
    found = {p.name: p for kind in _list_bases(call) for p in list_required_parameters(kind)}
    known = fill_arguments(call, [found[name] for name in names if name in found])
    lengths = {
        name: n for kind in _list_bases(call) for name, n in find_sequence_lengths(kind).items()
    }
    several = {name: make_sequence(name, lengths[name]) for name in names if name in lengths}
    return {name: guess_by_name(name) for name in names} | known | several


def _read_key(call: Callable[..., Any], message: str) -> str:
    """The key that a call's own `**kwargs` lack, where it reads them so: `kwargs["depth"]`."""
    held = next(
        p.name for p in inspect.signature(call).parameters.values() if p.kind is p.VAR_KEYWORD
    )
    found = re.search(rf"(?<!\w){held}\[['\"](\w+)['\"]\]", message)
    lacking = re.match(r"\W*(\w+)", message)
    return found[1] if found and lacking and found[1] == lacking[1] else ""


def _list_got_keys(call: Callable[..., Any]) -> Iterator[str]:
    """The keys that a class, and those of its file that it hands its keywords on to, get of them: `kwargs.get("depth", 2)`."""
    held: Any = inspect.getmodule(call) or call
    with suppress(OSError, TypeError):
        yield from _GOT.findall(inspect.getsource(held))


def _as_parameter(name: str) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY)


def _list_bases(call: Callable[..., Any]) -> list[type]:
    """The classes that a class hands its keywords on to."""
    kinds = inspect.getmro(call)[1:] if inspect.isclass(call) else ()
    return [kind for kind in kinds if "__init__" in vars(kind) and kind is not object]
