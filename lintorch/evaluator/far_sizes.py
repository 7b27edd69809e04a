"""Whether two sizes of one or two symbols ever meet, tried where no rule of arithmetic decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import product

from lintorch.evaluator.sizes import Atom, Dim, Operation, Size, Symbol, list_symbols

_TRIED = (*range(2, 520), 560, 600, 640, 713, 720, 768, 800, 896, 1024, 1080, 1280, 16000, 22050)
_SMALLEST_SIDE = 16
"""Heights and widths of images below are not tried: an image is not that small by design."""
_SIDES = (17, 28, 32, 49, 63, 64, 96, 128, 224, 256, 299, 384, 512, 640)
_FEW = (2, 3, 5, 7, 16, 28, 32, 64, 96, 100, 128, 224, 512)
"""What each of two symbols is tried at."""
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
    both = [frozenset(list_symbols(each)) for each in (left, right)]
    symbols = sorted(both[0] | both[1], key=str)
    if not 1 <= len(symbols) <= 2 or (len(symbols) > 1 and both[0] != both[1]):
        return False  # a symbol that one side alone has can be what makes them equal
    try:
        return not any(
            _may_meet(left, right, dict(zip(symbols, values, strict=True)), stretched)
            for values in product(*map(_list_tried, symbols, [len(symbols) > 1] * len(symbols)))
        )
    except (ArithmeticError, LookupError):
        return False


def _list_tried(symbol: Symbol, paired: bool) -> Sequence[int]:
    side = symbol.name.endswith((".H", ".W"))
    if paired:
        return _SIDES if side else _FEW
    return [size for size in _TRIED if size >= _SMALLEST_SIDE] if side else _TRIED


def _may_meet(left: Size, right: Size, values: Mapping[Symbol, int], stretched: bool) -> bool:
    one, other = _work_out(left, values), _work_out(right, values)
    return one == other or (stretched and min(one, other) <= 1)


def _work_out(size: Dim, values: Mapping[Symbol, int]) -> int:
    if isinstance(size, int):
        return size
    total = 0
    for atoms, factor in size.terms:
        for atom in atoms:
            factor *= _work_out_atom(atom, values)
        total += factor
    return total


def _work_out_atom(atom: Atom, values: Mapping[Symbol, int]) -> int:
    """Raises LookupError for what is no arithmetic."""
    if not isinstance(atom, Operation):
        return values[atom]
    known = [_work_out(each, values) for each in atom.operands]
    if atom.kind == "//":
        return known[0] // known[1]
    if atom.kind == "%":
        return known[0] % known[1]
    return {"max": max, "min": min}[atom.kind](known)
