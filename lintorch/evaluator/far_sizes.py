"""Whether two sizes of one or two symbols ever meet, tried where no rule of arithmetic decides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from math import lcm

from lintorch.evaluator.sizes import Atom, Dim, Operation, Size, Symbol

_TRIED = (*range(2, 520), 560, 600, 640, 713, 720, 768, 800, 896, 1024, 1080, 1280, 16000, 22050)
_SMALLEST_SIDE = 16
"""Heights and widths of images below are not tried: an image is not that small by design."""
_SIDES = (17, 28, 32, 49, 63, 64, 96, 128, 224, 256, 299, 384, 512, 640)
_FEW = (2, 3, 5, 7, 16, 28, 32, 64, 96, 100, 128, 224, 512)
"""What each of two symbols is tried at."""
_ARITHMETIC = ("//", "%", "max", "min")
_SOME = (*range(16, 32), 224, 225)
"""What sizes are tried at beside settings: neighbours too, as what is rounded away recurs."""
_SETTINGS = (1, 2, 3, 20, 25)
"""Some that are strides, and some that sizes may be held to."""
_MOST_UNKNOWNS = 3
_TIMES, _LARGEST = (1, 2, 3, 4), 1 << 20
"""Multiples of all that sizes are divided by are tried too, where these are no larger."""
_FAR = range(10_000, 10_128)
"""Neighbours that no model is made for."""
_HEAVY = 24
"""Symbols and operations of a size that is too long to be tried."""


@lru_cache(maxsize=4096)
def never_meet(left: Dim, right: Dim, *, stretched: bool = False) -> bool:
    """Whether two sizes that one or two symbols decide differ at all their values that are tried.

    A plain number is met by chance, so it never differs surely. `stretched`: a size of 1 fits any.
    """
    if isinstance(left, int) or isinstance(right, int):
        return False
    if left.weight + right.weight > _HEAVY:
        return False
    both = [frozenset(_list_unknowns(each)) for each in (left, right)]
    symbols = sorted(both[0] | both[1], key=str)
    if not 1 <= len(symbols) <= 2 or (len(symbols) > 1 and both[0] != both[1]):
        return False  # a symbol that one side alone has can be what makes them equal
    whole = lcm(*_list_divisors(left), *_list_divisors(right))
    even = [times * whole for times in _TIMES if _SMALLEST_SIDE < whole < _LARGEST]
    tried = [[*_list_tried(each, len(symbols) > 1), *even] for each in symbols]
    try:
        return not any(
            _may_meet(left, right, dict(zip(symbols, values, strict=True)), stretched)
            for values in product(*tried)
        )
    except ArithmeticError:
        return False


@lru_cache(maxsize=4096)
def meet_by_settings(left: Dim, right: Dim) -> bool:
    """Whether settings alone, such as a stride, decide if two sizes are equal: at no values of theirs do inputs."""
    unknowns = sorted({*_list_unknowns(left), *_list_unknowns(right)}, key=str)
    settings = [each for each in unknowns if each.varies is not True]
    sizes = [each for each in unknowns if each.varies is True]
    if not settings or len(unknowns) > _MOST_UNKNOWNS:
        return False
    for given in product(_SETTINGS, repeat=len(settings)):
        values = dict(zip(settings, given, strict=True))
        tried = (dict(zip(sizes, each, strict=True)) for each in product(_SOME, repeat=len(sizes)))
        try:
            met = {_work_out(left, values | e) == _work_out(right, values | e) for e in tried}
        except ArithmeticError:
            return False
        if len(met) > 1:
            return False
    return True


@lru_cache(maxsize=4096)
def crosses_far_out(left: Dim, right: Dim) -> bool:
    """Whether one of two sizes is the larger, then the other, however large a single symbol gets.

    So it is of what a size lacks to a multiple, and not of what it lacks to a least size.
    """
    difference = left - right
    if isinstance(difference, int) or difference.weight > _HEAVY:
        return False
    symbols = sorted(set(_list_unknowns(difference)), key=str)
    if len(symbols) != 1 or not isinstance(symbols[0], Symbol):
        return False
    try:
        found = [_work_out(difference, {symbols[0]: far}) for far in _FAR]
    except ArithmeticError:
        return False
    return min(found) < 0 < max(found)


def _list_unknowns(size: Dim) -> Iterator[Atom]:
    """Symbols, and operations of which nothing is known but that equal ones are equal."""
    for atom in () if isinstance(size, int) else size.atoms:
        if isinstance(atom, Operation) and atom.kind in _ARITHMETIC:
            for operand in atom.operands:
                yield from _list_unknowns(operand)
        else:
            yield atom


def _list_divisors(size: Dim) -> Iterator[int]:
    """The numbers that parts of a size are divided by."""
    for atom in () if isinstance(size, int) else size.atoms:
        if isinstance(atom, Operation) and atom.kind in _ARITHMETIC:
            for operand in atom.operands:
                yield from _list_divisors(operand)
            by = atom.operands[-1]
            if atom.kind in ("//", "%") and isinstance(by, int) and by > 0:
                yield by


def _list_tried(unknown: Atom, paired: bool) -> Sequence[int]:
    side = isinstance(unknown, Symbol) and unknown.name.endswith((".H", ".W"))
    if paired:
        return _SIDES if side else _FEW
    return [size for size in _TRIED if size >= _SMALLEST_SIDE] if side else _TRIED


def _may_meet(left: Size, right: Size, values: Mapping[Atom, int], stretched: bool) -> bool:
    one, other = _work_out(left, values), _work_out(right, values)
    return one == other or (stretched and min(one, other) <= 1)


def _work_out(size: Dim, values: Mapping[Atom, int]) -> int:
    if isinstance(size, int):
        return size
    total = 0
    for atoms, factor in size.terms:
        for atom in atoms:
            factor *= _work_out_atom(atom, values)
        total += factor
    return total


def _work_out_atom(atom: Atom, values: Mapping[Atom, int]) -> int:
    """Raises ArithmeticError where something is divided by 0."""
    if not isinstance(atom, Operation) or atom.kind not in _ARITHMETIC:
        return values[atom]
    known = [_work_out(each, values) for each in atom.operands]
    if atom.kind == "//":
        return known[0] // known[1]
    if atom.kind == "%":
        return known[0] % known[1]
    return max(known) if atom.kind == "max" else min(known)
