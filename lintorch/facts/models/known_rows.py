"""Rows of one file in which shapes surely raise."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from lintorch.evaluator.events import Occurrence, Refused


class KnownRows:
    """What the evaluator knows of the rows of a file."""

    def __init__(self, path: str, events: Iterable[Occurrence]) -> None:
        self._path = path
        self._refused = [event for event in events if isinstance(event, Refused)]

    @cached_property
    def refused(self) -> frozenset[int]:
        """Where shapes surely raise, in a forward pass or not, and where the layers that raise are made."""
        return frozenset(
            spot.row
            for event in self._refused
            if event.founded and event.way.certain
            for spot in (event.spot, event.made)
            if spot is not None and spot.path == self._path
        )

    def is_first(self, event: Refused) -> bool:
        """Whether no other error was met before at this place that is as sure of itself.

        The same line raises in other words for the sizes of each model that reaches it.
        """
        alike = (
            each
            for each in self._refused
            if (each.made or each.spot) == (event.made or event.spot)
            and (each.way.certain, each.founded) == (event.way.certain, event.founded)
        )
        return next(alike, event).message == event.message
