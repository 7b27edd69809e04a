"""Builds a model in the ways that its file offers: by itself, by a factory, as an example shows."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Any

from lintorch.guest.construct.arguments_by_example import bind_example
from lintorch.guest.construct.call_examples import CallPlace, Example
from lintorch.guest.construct.fill_arguments import disable_pretrained, shrink_big_sides
from lintorch.guest.construct.find_candidates import Candidate
from lintorch.guest.construct.import_file import import_file, prepare_user_code
from lintorch.guest.construct.lacking_settings import build_completed
from lintorch.guest.construct.make_model import Built, ModelMaker, list_required
from lintorch.guest.construct.registered_settings import find_registered
from lintorch.guest.construct.unset_settings import fill_unset_settings
from lintorch.guest.imports.user_frames import UserCode
from lintorch.guest.watch.user_lines import UserLines
from lintorch.guest.weights.own_loaders import leave_own_loader

_MOST_CALLS_TRIED = 2
"""Classes and factories that are called before the file's examples are followed, at most."""
_MOST_MENDED = 3
"""Times that one way is tried again after something around the model was mended."""
_MOST_EXAMPLES = 4
"""Calls in the file's own text that are followed, at most."""


def build_each_way(
    candidate: Candidate, files: UserLines, calls: Callable[[], Iterable[Example]] = tuple
) -> Iterator[Built]:
    """The model by each way that works, the likeliest first. Raises the first error if none does.

    `calls` looks for what calls of it in the whole project show.
    """
    errors: list[Exception] = []
    some = False
    kind = next((call for factory, call in candidate.ways if not factory), None)
    for attempt in _list_attempts(candidate, files, tuple(_follow_calls(calls))):
        try:
            built = _try_again(attempt, kind)
        except Exception as error:  # whatever user code raises
            errors.append(error)
        else:
            some = True
            yield built
            if built.build_smaller is not None:
                with suppress(Exception):  # whatever user code raises
                    yield built.build_smaller()
    if not some and errors:
        raise errors[0]


def _try_again(attempt: Callable[[], Built], kind: Callable[..., Any] | None) -> Built:
    """The model; once more where settings of its file were None, or weights that it loads itself are not here."""
    for _ in range(_MOST_MENDED):
        try:
            return attempt()
        except Exception as error:  # whatever user code raises
            if not fill_unset_settings(kind, error) and not leave_own_loader(error):
                raise
    return attempt()


def _follow_calls(calls: Callable[[], Iterable[Example]]) -> Iterator[Example]:
    with suppress(Exception):  # whatever user code raises that is run for them
        yield from calls()


def build_from_settings(
    setting: Mapping[str, Any], project: Path, files: UserLines
) -> Iterator[Built]:
    """Build what `factory` names ("nets.seg:build" or "path.py:Class") with `args`.

    Raises whatever importing and calling it raise.
    """
    where, _, name = str(setting["factory"]).rpartition(":")
    if where.endswith((".py", ".ipynb")):
        holder = import_file(project / where, project)
    else:
        prepare_user_code(UserCode(project.joinpath(*where.split(".")), project))
        sys.path[:0] = [str(project), str(project / "src")]
        holder = importlib.import_module(where)
    given = dict(setting.get("args", {}))
    made = ModelMaker(attrgetter(name)(holder), given, {}, files)
    try:
        built = made.build_model()
    except Exception:  # settings have no tuples, and some constructors take nothing else
        if (tuples := _turn_lists_into_tuples(given)) == given:
            raise
        built = replace(made, arguments=tuples).build_model()
    yield built


def _turn_lists_into_tuples(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _turn_lists_into_tuples(part) for key, part in value.items()}
    return tuple(map(_turn_lists_into_tuples, value)) if isinstance(value, list) else value


def _list_attempts(
    candidate: Candidate, files: UserLines, shown: tuple[Example, ...]
) -> Iterator[Callable[[], Built]]:
    """As the project calls it, made up arguments where they are common ones, what the file shows, the rest."""
    whole = [example for example in shown if not example.unread]
    whole.sort(key=lambda example: (not example.inputs, not example.place.partly))
    for example in whole[:_MOST_EXAMPLES]:
        yield from _attempt_like_example(example, candidate, files)
    kind = next((call for factory, call in candidate.ways if not factory), None)
    lacks = kind is not None and bool(list_required(kind))
    if lacks:
        yield from _attempt_as_configured(candidate, kind, files)
    passed = next((each.place.plain for each in shown if each.place.plain), ())
    like = CallPlace(plain=passed)
    calls = [
        ModelMaker(
            call,
            disable_pretrained(call),
            {"factory": factory} if factory else {},
            files,
            like=like,
        )
        for factory, call in candidate.ways
    ]
    common = [making for making in calls if making.has_conventional_names()]
    failed: list[ModelMaker] = []
    for making in common[:_MOST_CALLS_TRIED]:
        smaller = shrink_big_sides(making.call)
        volumes = [side for side in smaller.values() if isinstance(side, tuple) and len(side) > 2]
        if volumes:
            yield making.build_smaller
        yield from making.attempt_once(failed)
        if smaller and not volumes:
            yield making.build_smaller
    parts = [example for example in shown if example not in whole]
    for example in (*candidate.examples[:_MOST_EXAMPLES], *parts):
        yield from _attempt_like_example(example, candidate, files)
    for making in calls:
        if making in failed or making not in common:
            yield making.build_model
    yield from (
        making.build_smaller for making in calls[:_MOST_CALLS_TRIED] if making not in common
    )
    if not lacks:  # all that is shipped would have to be read for each model
        yield from _attempt_as_configured(candidate, kind, files)


def _attempt_as_configured(
    candidate: Candidate, kind: Callable[..., Any] | None, files: UserLines
) -> Iterator[Callable[[], Built]]:
    for example in find_registered(kind, candidate.qualname) if kind else ():
        yield from _attempt_like_example(example, candidate, files)


def _attempt_like_example(
    example: Example, candidate: Candidate, files: UserLines
) -> Iterator[Callable[[], Built]]:
    """A call as the file spells it out, if it gives at least one argument that is needed."""
    call = candidate.scope.get(example.name)
    given = bind_example(call, example, candidate.scope) if callable(call) else None
    if call is not None and given is not None:
        origin = {"factory": example.name} if example.name != candidate.qualname else {}
        fetched = {
            name: False for name, value in given.items() if "pretrain" in name and value is True
        }
        given = {**given, **disable_pretrained(call), **fetched}
        making = ModelMaker(call, given, origin, files, example.inputs, example.place)
        yield partial(build_completed, making)
