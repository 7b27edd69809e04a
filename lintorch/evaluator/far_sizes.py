"""Whether two sizes of one symbol ever meet, tried where no rule of arithmetic decides."""

from __future__ import annotations

from functools import lru_cache

from lintorch.evaluator.sizes import Atom, Dim, Operation, Size, Symbol, list_symbols

_TRIED = (*range(2, 520), 560, 600, 640, 713, 720, 768, 800, 896, 1024, 1080, 1280, 16000, 22050)
_HEAVY = 24
"""Symbols and operations of a size that is too long to be tried."""


@lru_cache(maxsize=4096)
def never_meet(left: Dim, right: Dim, *, stretched: bool = False) -> bool:
    """Whether two sizes that one symbol decides differ at all its values that are tried.

    A plain number is met by chance, so it never differs surely. `stretched`: a size of 1 fits any.
    """
    if isinstance(left, int) or isinstance(right, int):
        return False
    if left.weight + right.weight > _HEAVY:
        return False
    symbols = {*list_symbols(left), *list_symbols(right)}
    if len(symbols) != 1:
        return False
    symbol = symbols.pop()
    try:
        return not any(_may_meet(left, right, symbol, value, stretched) for value in _TRIED)
    except (ArithmeticError, LookupError):
        return False


def _may_meet(left: Size, right: Size, symbol: Symbol, value: int, stretched: bool) -> bool:
    one, other = _work_out(left, symbol, value), _work_out(right, symbol, value)
    return one == other or (stretched and min(one, other) <= 1)


def _work_out(size: Dim, symbol: Symbol, value: int) -> int:
    if isinstance(size, int):
        return size
    total = 0
    for product, factor in size.terms:
        for atom in product:
            factor *= _work_out_atom(atom, symbol, value)
        total += factor
    return total


def _work_out_atom(atom: Atom, symbol: Symbol, value: int) -> int:
    """Raises LookupError for what is no arithmetic."""
    if not isinstance(atom, Operation):
        return value
    known = [_work_out(each, symbol, value) for each in atom.operands]
    if atom.kind == "//":
        return known[0] // known[1]
    if atom.kind == "%":
        return known[0] % known[1]
    return {"max": max, "min": min}[atom.kind](known)
