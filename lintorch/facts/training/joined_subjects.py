"""One name that stands for one of several objects: a scaler that a helper makes in two ways."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from lintorch.facts.training.part_values import Subject
from lintorch.facts.training.training_actions import Action


def join_subjects(ways: Sequence[tuple[Action, ...]]) -> list[tuple[Action, ...]]:
    """The acts of each way, those on objects that one written call has on different ways as on the first of them.

    Acts that are one on several ways stay one.
    """
    joined = dict(_list_joined(ways))
    if not joined:
        return [*ways]
    made: dict[tuple[Any, ...], Action] = {}
    return [tuple(_join(each, joined, made) for each in way) for way in ways]


def _list_joined(ways: Sequence[tuple[Action, ...]]) -> Iterable[tuple[Subject, Subject]]:
    groups: dict[tuple[Any, ...], dict[Subject, set[int]]] = defaultdict(lambda: defaultdict(set))
    for number, way in enumerate(ways):
        for act in way:
            for part, subject in (("by", act.by), ("on", act.on)):
                if subject is not None:
                    at = act.at.spot, act.at.way.names, act.act, part, subject.text
                    groups[at][subject].add(number)
    for held in groups.values():
        first, *others = held
        alone = len({n for numbers in held.values() for n in numbers})
        if others and alone == sum(map(len, held.values())):
            yield from ((each, first) for each in others)


def _join(
    act: Action, joined: dict[Subject, Subject], made: dict[tuple[Any, ...], Action]
) -> Action:
    by = joined.get(act.by, act.by) if act.by is not None else None
    on = joined.get(act.on, act.on) if act.on is not None else None
    if by is act.by and on is act.on:
        return act
    key = act.at.spot, act.at.way.names, act.act, by, on
    return made.setdefault(key, replace(act, by=by, on=on))
