"""Builds a model in the ways that its file offers: by itself, by a factory, as an example shows."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from lintorch.guest.construct.arguments_by_example import bound
from lintorch.guest.construct.candidates import Candidate
from lintorch.guest.construct.examples import Example
from lintorch.guest.construct.fill_arguments import offline, smaller
from lintorch.guest.construct.import_file import load
from lintorch.guest.construct.make_model import Built, Making
from lintorch.guest.watch.user_lines import UserLines

_WAYS = 2
_EXAMPLES = 4


def builds(candidate: Candidate, files: UserLines) -> Iterator[Built]:
    """The model by each way that works, the likeliest first. Raises the first error if none does."""
    errors: list[Exception] = []
    some = False
    for attempt in _attempts(candidate, files):
        try:
            built = attempt()
        except Exception as error:  # whatever user code raises
            errors.append(error)
        else:
            some = True
            yield built
            if built.smaller is not None:
                with suppress(Exception):  # whatever user code raises
                    yield built.smaller()
    if not some and errors:
        raise errors[0]


def configured(setting: Mapping[str, Any], project: Path, files: UserLines) -> Iterator[Built]:
    """Build what `factory` names ("nets.seg:build" or "path.py:Class") with `args`."""
    where, _, name = str(setting["factory"]).rpartition(":")
    if where.endswith(".py"):
        holder = load(project / where, project)
    else:
        sys.path[:0] = [str(project), str(project / "src")]
        holder = importlib.import_module(where)
    given = dict(setting.get("args", {}))
    made = Making(getattr(holder, name), given, {}, files)
    try:
        built = made.settled()
    except Exception:  # settings have no tuples, and some constructors take nothing else
        if (tuples := _with_tuples(given)) == given:
            raise
        built = replace(made, arguments=tuples).settled()
    yield built


def _with_tuples(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _with_tuples(part) for key, part in value.items()}
    return tuple(map(_with_tuples, value)) if isinstance(value, list) else value


def _attempts(candidate: Candidate, files: UserLines) -> Iterator[Callable[[], Built]]:
    """Made up arguments where they are common ones, then what the file shows, then all the rest."""
    calls = [
        Making(call, offline(call), {"factory": factory} if factory else {}, files)
        for factory, call in candidate.ways
    ]
    common = [making for making in calls if making.is_common()]
    failed: list[Making] = []
    for making in common[:_WAYS]:
        yield from making.noting(failed)
        if smaller(making.call):
            yield making.smaller
    for example in candidate.shown[:_EXAMPLES]:
        yield from _like(example, candidate, files)
    for making in calls:
        if making in failed or making not in common:
            yield making.settled
    yield from (making.smaller for making in calls[:_WAYS] if making not in common)


def _like(
    example: Example, candidate: Candidate, files: UserLines
) -> Iterator[Callable[[], Built]]:
    """A call as the file spells it out, if it gives at least one argument that is needed."""
    call = candidate.scope.get(example.name)
    given = bound(call, example, candidate.scope) if callable(call) else None
    if call is not None and given is not None:
        said = {"factory": example.name} if example.name != candidate.qualname else {}
        given = {**given, **offline(call)}
        yield lambda: Making(call, given, said, files, example.fed).settled()
