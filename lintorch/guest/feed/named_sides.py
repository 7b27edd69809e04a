"""Sides of images that the settings of a project name: `--img_size` with the default [94, 24]."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from lintorch.guest.construct.project_settings import list_subtrees, read_repository
from lintorch.guest.feed.guess_inputs import Guess
from lintorch.record.repository import find_repository

_SIZE = re.compile(
    r"imgsz|((img|image|input|crop|train|test|im|in|resize|target)_?)+(size|sz|shape|dims?|resolution|hw|wh)"
)
_HEIGHT, _WIDTH = (
    re.compile(rf"((img|image|input|im|crop)_?)+({letter}|{name})|{name}")
    for letter, name in (("h", "height"), ("w", "width"))
)
_LEAST, _MOST = 8, 1024
_MOST_PAIRS = 3
_OF_SIDES = re.compile(
    r"must match|is invalid for input|cannot be multiplied|should be the same|not divisible"
    r"|too small|does not broadcast|greater than"
)


def try_named_sides(guess: Guess, message: str, module: Any) -> Iterator[Guess]:
    """The guess at the sides that the project names, where an error may come of others."""
    if not {"height", "width"} <= guess.sizes.keys() or not _OF_SIDES.search(message):
        return
    try:
        home = Path(inspect.getfile(type(module))).resolve().parent
    except (OSError, TypeError):
        return
    for height, width in find_named_sides(find_repository(home)):
        yield guess.with_sizes(height=height, width=width)
        if height != width:  # some name the width first
            yield guess.with_sizes(height=width, width=height)


@lru_cache(maxsize=8)
def find_named_sides(root: Path) -> tuple[tuple[int, int], ...]:
    """Pairs of sides in the settings of a repository, the most common first."""
    found: Counter[tuple[int, int]] = Counter()
    for shipped in read_repository(root):
        for tree in list_subtrees(shipped.tree):
            found.update(_list_sides(tree))
    return tuple(sides for sides, _ in found.most_common(_MOST_PAIRS))


def _list_sides(tree: dict[str, Any]) -> Iterator[tuple[int, int]]:
    named = {key.lower(): value for key, value in tree.items() if isinstance(key, str)}
    for key, value in named.items():
        if _SIZE.fullmatch(key):
            yield from _read_pair(value)
    height, width = (
        next((value for key, value in named.items() if each.fullmatch(key)), None)
        for each in (_HEIGHT, _WIDTH)
    )
    yield from _read_pair([height, width])


def _read_pair(value: Any) -> Iterator[tuple[int, int]]:
    """The last two of several numbers, or one for both sides."""
    if type(value) is int:
        value = [value, value]
    if isinstance(value, (list, tuple)) and len(value) in (2, 3):
        first, last = value[-2:]
        if all(type(side) is int and _LEAST <= side <= _MOST for side in (first, last)):
            yield first, last
