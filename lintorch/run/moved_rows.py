"""Where lines of a text are in a later one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher

from lintorch.core.text_rows import split_rows


def list_moved(before: str, now: str, rows: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Each row of the earlier text with the rows that stand for it now; all that took the place of its lines."""
    old, new = split_rows(before).lines, split_rows(now).lines
    steps = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    wanted = sorted(set(rows))
    for kind, first, last, begin, end in steps:
        for row in wanted:
            if first < row <= last:
                same = kind == "equal"
                found = [begin + row - first] if same else range(begin + 1, end + 1)
                yield from ((row, each) for each in found)
