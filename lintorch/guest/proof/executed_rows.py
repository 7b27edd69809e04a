"""Which rows of one file run."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, TypeVar

Item = TypeVar("Item")


class ExecutedRows:
    """The rows of the file with this real path that have run while it was watched.

    Forks of this process go on with what it has seen.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._known: dict[str, bool] = {}
        self._of_import: frozenset[int] = frozenset()
        self._rows: set[int] = set()

    def start_watching(self) -> None:
        """Watch what runs from now on."""
        sys.settrace(self._enter_frame)

    def stop_watching(self) -> None:
        """Watch no more: exporters look at frames themselves."""
        sys.settrace(None)

    def forget_failed(self, makes: Callable[[], Iterator[Item]]) -> Callable[[], Iterator[Item]]:
        """The same ways to build a model; what one of them runs is forgotten when the next is asked for.

        What has run before the first is what every model of the file runs.
        """

        def make_each() -> Iterator[Item]:
            ways = makes()
            self._of_import |= frozenset(self._rows)
            while True:
                self._rows.clear()
                try:
                    yield next(ways)
                except StopIteration:
                    return

        return make_each

    def list_rows(self) -> tuple[int, ...]:
        """The rows that have run."""
        return tuple(sorted(self._of_import | self._rows))

    def _enter_frame(self, frame: FrameType, event: str, argument: Any) -> Any:
        filename = frame.f_code.co_filename
        known = self._known.get(filename)
        if known is None:
            known = self._known[filename] = os.path.realpath(filename) == self._path
        return self._follow_frame if known else None

    def _follow_frame(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "line":
            self._rows.add(frame.f_lineno)
        return self._follow_frame
