"""Sizes as sums of products of symbols, in one canonical form, so that equal sizes are equal values.

A size that is known is a plain int. `h + 1` differs from `h` and `2 * h // 2` is `h`, whatever h is;
what cannot be decided so is left undecided. Symbols stand for sizes of at least 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import permutations
from math import gcd

from lintorch.evaluator.frozen_records import frozen_record


@frozen_record
class Symbol:
    """A size that has no value in source, such as an input's height.

    `varies`: whether it differs between runs of one model. False for what settings fix, None where
    it cannot be told.
    """

    name: str
    varies: bool | None = True

    def __str__(self) -> str:
        return self.name


@frozen_record
class Operation:
    """What sums and products cannot say: `//`, `%`, `max`, `min`, and `?` for any other function."""

    kind: str
    operands: tuple[Dim, ...]

    @property
    def varies(self) -> bool | None:
        """Whether any operand varies; nobody knows where what is unknown may have the divisor for a factor.

        Nor of how often one size of an image goes into another: `h * w / n` of its n patches.
        """
        if self.kind == "/" and _may_cancel(*self.operands):
            return None
        if self.kind == "//" and varies(self.operands[1]):
            known = [symbol.varies is not None for symbol in list_symbols(self.operands[0])]
            if not all(known):
                return None
        return join_varying(varies(each) for each in self.operands)

    @cached_property
    def _hash(self) -> int:
        return hash((self.kind, self.operands))

    def __hash__(self) -> int:
        return self._hash

    def __str__(self) -> str:
        return self.text

    @cached_property
    def text(self) -> str:
        """As it is shown; sizes are sorted by it."""
        if self.kind in ("//", "%"):
            left, right = (f"({each})" if _is_sum(each) else str(each) for each in self.operands)
            return f"{left} {self.kind} {right}"
        return f"{self.kind}({', '.join(map(str, self.operands))})"


Atom = Symbol | Operation
Product = tuple[Atom, ...]
"""Atoms that are multiplied, in the order of their text; () is 1."""


@frozen_record
class Size:
    """A sum of products, each with a factor; never a plain number, which is an int."""

    terms: tuple[tuple[Product, int], ...]

    @cached_property
    def atoms(self) -> frozenset[Atom]:
        """What is added and multiplied."""
        return frozenset(atom for product, _ in self.terms for atom in product)

    @cached_property
    def weight(self) -> int:
        """How many symbols and operations it is written with."""
        return sum(_weigh_atom(atom) for product, _ in self.terms for atom in product)

    @property
    def varies(self) -> bool | None:
        """Whether it differs between runs of one model; None where that cannot be told."""
        return join_varying(atom.varies for atom in self.atoms)

    def __add__(self, other: Dim) -> Dim:
        return _round_whole(_make_size(_sum_terms(self, other, 1)))

    def __sub__(self, other: Dim) -> Dim:
        return _round_whole(_make_size(_sum_terms(self, other, -1)))

    def __rsub__(self, other: int) -> Dim:
        return _make_size(_sum_terms(other, self, -1))

    def __mul__(self, other: Dim) -> Dim:
        heavy = not isinstance(other, int) and self.weight * other.weight > _MOST_WEIGHT * 4
        if heavy and len(self.terms) > 1:
            return _shorten_size(self) * other
        found: dict[Product, int] = {}
        for left, factor in self.terms:
            for right, other_factor in _terms_of(other):
                product = (
                    tuple(sorted((*left, *right), key=str)) if left and right else left or right
                )
                found[product] = found.get(product, 0) + factor * other_factor
        return _make_size(found)

    def __neg__(self) -> Dim:
        return self * -1

    def __floordiv__(self, other: Dim) -> Dim:
        return floor_divide(self, other)

    def __rfloordiv__(self, other: int) -> Dim:
        return floor_divide(other, self)

    def __mod__(self, other: Dim) -> Dim:
        return take_remainder(self, other)

    def __rmod__(self, other: int) -> Dim:
        return take_remainder(other, self)

    __radd__ = __add__
    __rmul__ = __mul__

    @cached_property
    def _hash(self) -> int:
        return hash(self.terms)

    def __hash__(self) -> int:
        return self._hash

    def __str__(self) -> str:
        return self.text

    @cached_property
    def text(self) -> str:
        """As it is shown; sizes are sorted by it."""
        if (sole := _sole_atom(self)) is not None:
            return str(sole)
        words = ""
        for product, factor in self.terms:
            sign = (" - " if factor < 0 else " + ") if words else ("-" if factor < 0 else "")
            parts = [_in_brackets(atom) for atom in product]
            if abs(factor) != 1 or not parts:
                parts.insert(0, str(abs(factor)))
            words += sign + " * ".join(parts)
        return words


def _weigh_atom(atom: Atom) -> int:
    if isinstance(atom, Symbol):
        return 1
    return 1 + sum(1 if isinstance(each, int) else each.weight for each in atom.operands)


Dim = int | Size
"""A size: a known one, or an expression."""


def make_symbol(name: str, varies: bool | None = True) -> Size:
    """A size that is a symbol alone."""
    return Size((((Symbol(name, varies),), 1),))


def is_symbol(size: Dim | None) -> bool:
    """Whether a size is one symbol alone, as those of an input are."""
    if not isinstance(size, Size) or len(size.terms) != 1:
        return False
    product, factor = size.terms[0]
    return len(product) == factor == 1 and isinstance(product[0], Symbol)


def is_ratio(size: Dim | None) -> bool:
    """Whether a size is divided by another that may vary with it, as `h // y.shape[2]` is."""
    waiting: list[Dim] = [] if size is None else [size]
    while waiting:
        each = waiting.pop()
        for atom in () if isinstance(each, int) else each.atoms:
            if isinstance(atom, Operation):
                if atom.kind == "//" and all(varies(v) is not False for v in atom.operands):
                    return True
                waiting += atom.operands
    return False


def make_operation(kind: str, *operands: Dim) -> Size:
    """A size that some function makes of others; equal where function and operands are."""
    made = Size((((Operation(kind, operands),), 1),))
    return made if made.weight <= _MOST_WEIGHT else _shorten_size(made)


_MOST_WEIGHT = 150
"""Symbols and operations that a size is written with; a longer one is a symbol of its own."""


def _shorten_size(size: Size) -> Size:
    """What stands for a size that is too long to be worked with; equal for equal ones. It may be 0."""
    return make_operation("?", make_symbol(f"long{hash(size) & 0xFFFFFF:x}", size.varies))


def varies(size: Dim) -> bool | None:
    """Whether a size differs between runs of one model; None where that cannot be told."""
    return False if isinstance(size, int) else size.varies


def join_varying(answers: Iterable[bool | None]) -> bool | None:
    """True where any is, else None where any is."""
    given = set(answers)
    return True if True in given else None if None in given else False


def _may_cancel(above: Dim, below: Dim) -> bool:
    """Whether a quotient of a size that varies may be the same for all: below is as much, or may be."""
    if not varies(above) or varies(below) is False:
        return False
    return varies(below) is None or frozenset(list_symbols(above)) == frozenset(list_symbols(below))


def list_symbols(size: Dim) -> Iterator[Symbol]:
    """The symbols that a size is made of, those inside of operations too."""
    for atom in () if isinstance(size, int) else size.atoms:
        if isinstance(atom, Symbol):
            yield atom
        else:
            for operand in atom.operands:
                yield from list_symbols(operand)


def is_counted(size: Dim) -> bool:
    """Whether data decide it, as they do how many elements are not 0."""
    for atom in () if isinstance(size, int) else size.atoms:
        if isinstance(atom, Symbol):
            if atom.name[:4] == COUNTED and atom.name[4:].isdigit():
                return True
        elif atom.kind == COUNTED or any(map(is_counted, atom.operands)):
            return True
    return False


COUNTED = "data"
"""How the symbols of such sizes begin; the operation that such a size of others is."""


def floor_divide(left: Dim, right: Dim) -> Dim:
    """`left // right`. Raises ZeroDivisionError as Python does."""
    if isinstance(left, int) and isinstance(right, int):
        return left // right
    if right == 1:
        return left
    quotient, rest = _divide_terms(left, right)
    if rest == 0:
        return quotient
    if isinstance(rest, int) and isinstance(right, int):
        return quotient + rest // right
    more = dict(_terms_of(rest)).get((), 0)
    inner = _sole_atom(rest - more)
    if isinstance(inner, Operation) and inner.kind == "//" and is_positive(right):
        left, by = inner.operands
        if more == 0 or is_positive(by):
            return quotient + floor_divide(left + by * more, by * right)
    return quotient + make_operation("//", rest, right)


def take_remainder(left: Dim, right: Dim) -> Dim:
    """`left % right`. Raises ZeroDivisionError as Python does."""
    if isinstance(left, int) and isinstance(right, int):
        return left % right
    if right == 1:
        return 0
    _, rest = _divide_terms(left, right)
    if isinstance(rest, int) and (rest == 0 or isinstance(right, int)):
        return rest if rest == 0 else rest % right
    return make_operation("%", rest, right)


def cancel_factors(left: Dim, right: Dim) -> tuple[Dim, Dim]:
    """Two sizes without the symbols and operations that both are a multiple of, none of which is 0."""
    if isinstance(left, int) or isinstance(right, int):
        return left, right
    products = [list(product) for product, _ in (*left.terms, *right.terms)]
    common: list[Atom] = []
    for atom in dict.fromkeys(products[0]):
        common += [atom] * min(product.count(atom) for product in products)
    if not common:
        return left, right
    shared = Size(((tuple(common), 1),))
    return floor_divide(left, shared), floor_divide(right, shared)


def largest(*sizes: Dim) -> Dim:
    """`max(...)`, decided where it is the same for all values of the symbols."""
    return _choose("max", sizes)


def smallest(*sizes: Dim) -> Dim:
    """`min(...)`, likewise."""
    return _choose("min", sizes)


def is_positive(size: Dim) -> bool:
    """Whether a size surely is at least 1."""
    return (lower_bound(size) or 0) > 0


def compare(left: Dim, operator: str, right: Dim) -> bool | None:
    """`left OPERATOR right` where it is so at all values of the symbols, or at none; else None."""
    difference = left - right
    low, high = lower_bound(difference), upper_bound(difference)
    never = _excludes_zero(low, high) or _leaves_rest(difference)
    equal = True if difference == 0 else False if never else None
    less = _decide(high is not None and high < 0, low is not None and low >= 0)
    more = _decide(low is not None and low > 0, high is not None and high <= 0)
    answers = {"==": equal, "<": less, ">": more}
    if operator in answers:
        return answers[operator]
    opposite = answers[{"!=": "==", ">=": "<", "<=": ">"}[operator]]
    return None if opposite is None else not opposite


def lower_bound(size: Dim) -> int | None:
    """What a size is at least; None where nothing is known."""
    if isinstance(size, int):
        return size
    terms, total = _pair_quotients(size)
    for product, factor in terms.items():
        bound = _bound_product(product, low=factor > 0)
        if bound is None:
            return _bound_multiples(size)
        total += factor * bound
    return total


def _bound_multiples(size: Size) -> int | None:
    """The same with `8 * (H // 8)` as what it is at least, `H - 7`, or at most, `H`."""
    left: Dim = size
    for product, factor in size.terms:
        atom = product[0] if len(product) == 1 else None
        if isinstance(atom, Operation) and _is_quotient(atom):
            whole, by = atom.operands
            if isinstance(by, int) and factor % by == 0:
                whole = whole - (by - 1) if factor > 0 else whole
                left = left - Size(((product, factor),)) + whole * (factor // by)
    return None if left == size else lower_bound(left)


def _pair_quotients(size: Size) -> tuple[dict[Product, int], int]:
    """The terms without pairs such as `(H + 3) // 4 - (H + 1) // 4`, and what these are at least."""
    terms, total = dict(size.terms), 0
    quotients = [p for p in terms if len(p) == 1 and _is_quotient(p[0])]
    for more, less in permutations(quotients, 2):
        if terms[more] > 0 > terms[less]:
            (left, by), (right, other) = more[0].operands, less[0].operands  # type: ignore[union-attr]
            apart = left - right
            if by == other and isinstance(by, int) and isinstance(apart, int):
                times = min(terms[more], -terms[less])
                total += times * (apart // by)
                terms[more], terms[less] = terms[more] - times, terms[less] + times
        total += _pair_nested(terms, more, less)
    return {product: factor for product, factor in terms.items() if factor}, total


def _pair_nested(terms: dict[Product, int], fine: Product, coarse: Product) -> int:
    """Takes `(H + 1) // 2 - 2 * ((H + 3) // 4)` out of the terms; what that is at least.

    The second is `2 * ((q + t) // 2)` of the first, q, so that this is `(q + t) % 2 - t`.
    """
    (above, by), (other, wide) = fine[0].operands, coarse[0].operands  # type: ignore[union-attr]
    apart, times = other - above, terms[fine]
    if not (isinstance(by, int) and isinstance(wide, int) and isinstance(apart, int) and times):
        return 0
    parts, shift = wide // by, apart // by
    if parts < 2 or wide % by or apart % by or terms[coarse] != -times * parts:
        return 0
    terms[fine] = terms[coarse] = 0
    return -times * shift if times > 0 else times * (parts - 1 - shift)


def _is_quotient(atom: Atom) -> bool:
    return (
        isinstance(atom, Operation)
        and atom.kind == "//"
        and isinstance(atom.operands[1], int)
        and atom.operands[1] > 0
    )


def upper_bound(size: Dim) -> int | None:
    """What a size is at most; None where nothing is known."""
    bound = lower_bound(size * -1)
    return None if bound is None else -bound


def _bound_product(product: Product, *, low: bool) -> int | None:
    bound = 1
    for atom in product:
        found = _bound_atom(atom, low=low)
        if found is None or found < 0:
            return found if len(product) == 1 else None
        bound *= found
    return bound


def _bound_atom(atom: Atom, *, low: bool) -> int | None:
    if isinstance(atom, Symbol):
        return 1 if low else None
    first, last = atom.operands[0], atom.operands[-1]
    if atom.kind == "%" and isinstance(last, int) and last > 0:
        return 0 if low else last - 1
    if atom.kind == "//" and isinstance(last, int) and last > 0:
        bound = lower_bound(first) if low else upper_bound(first)
        return None if bound is None else bound // last
    if atom.kind in ("max", "min"):
        bounds = [lower_bound(o) if low else upper_bound(o) for o in atom.operands]
        known = [bound for bound in bounds if bound is not None]
        some_do = (atom.kind == "max") is low
        if known and (some_do or len(known) == len(bounds)):
            return max(known) if atom.kind == "max" else min(known)
    return None


def _choose(kind: str, sizes: tuple[Dim, ...]) -> Dim:
    left: list[Dim] = []
    for size in dict.fromkeys(sizes):
        beats = "<=" if kind == "max" else ">="
        if any(compare(size, beats, other) for other in left):
            continue
        left = [other for other in left if not compare(other, beats, size)] + [size]
    return left[0] if len(left) == 1 else make_operation(kind, *sorted(left, key=str))


def _divide_terms(left: Dim, right: Dim) -> tuple[Dim, Dim]:
    """What divides without a rest, divided, and what does not."""
    divisor = _terms_of(right)
    if len(divisor) != 1:
        return (1, 0) if left == right else (0, left)
    atoms, factor = divisor[0]
    whole: dict[Product, int] = {}
    rest: dict[Product, int] = {}
    for product, times in _terms_of(left):
        remaining = _without(product, atoms)
        if remaining is not None and times % factor == 0:
            whole[remaining] = times // factor
        elif not product and not atoms:  # (H - 1) // 2 is (H + 1) // 2 - 1, which is its one form
            whole[()], rest[()] = divmod(times, factor)
        else:
            rest[product] = times
    return _make_size(whole), _make_size(rest)


def _without(product: Product, atoms: Product) -> Product | None:
    left = list(product)
    for atom in atoms:
        if atom not in left:
            return None
        left.remove(atom)
    return tuple(left)


def _terms_of(size: Dim) -> tuple[tuple[Product, int], ...]:
    return (((), size),) if isinstance(size, int) else size.terms


def _sum_terms(left: Dim, right: Dim, sign: int) -> dict[Product, int]:
    found = dict(_terms_of(left))
    for product, factor in _terms_of(right):
        found[product] = found.get(product, 0) + sign * factor
    return found


def _make_size(found: Mapping[Product, int]) -> Dim:
    terms = {product: factor for product, factor in found.items() if factor}
    if not terms.keys() - {()}:
        return terms.get((), 0)
    if len(terms) == 1:
        return Size((*terms.items(),))
    return Size(tuple(sorted(terms.items(), key=_place_term)))


def _round_whole(size: Dim) -> Dim:
    """`h + -h % 8` as `8 * ((h + 7) // 8)`, and `h - h % 8` as `8 * (h // 8)`: what they are multiples of shows."""
    for product, factor in _terms_of(size):
        atom = product[0] if len(product) == 1 else None
        if not isinstance(atom, Operation) or atom.kind != "%" or factor not in (1, -1):
            continue
        left, by = atom.operands
        if not isinstance(by, int) or by < 1 or isinstance(size, int) or len(size.terms) == 1:
            continue
        rest = _make_size(_sum_terms(size, Size(((product, factor),)), -1))
        more = _take_known_rest(_sum_terms(rest, left, factor), by)
        if more is not None and not isinstance(rest - more, int):
            upward = by - 1 if factor == 1 else 0
            return by * floor_divide(rest - more + upward, by) + more
    return size


def _take_known_rest(terms: Mapping[Product, int], by: int) -> int | None:
    """What a sum leaves when it is divided; None where that is not the same for all sizes."""
    found: dict[Product, int] = {}
    for product, factor in terms.items():
        atom = product[0] if len(product) == 1 else None
        inner: Dim = Size(((product, 1),)) if product else 1
        while isinstance(atom, Operation) and atom.kind == "%" and _is_multiple(atom, by):
            inner, atom = atom.operands[0], _sole_atom(atom.operands[0])
        for part, times in _terms_of(inner):
            found[part] = found.get(part, 0) + factor * times
    known = found.pop((), 0)
    return None if any(factor % by for factor in found.values()) else known % by


def _is_multiple(remainder: Operation, by: int) -> bool:
    divisor = remainder.operands[1]
    return isinstance(divisor, int) and divisor % by == 0


def _place_term(term: tuple[Product, int]) -> tuple[bool, list[tuple[bool, str]]]:
    """The plain number last, operations before symbols, then by text."""
    atoms = term[0]
    return not atoms, [(isinstance(atom, Symbol), str(atom)) for atom in atoms]


def _sole_atom(size: Dim) -> Atom | None:
    terms = _terms_of(size)
    product, factor = terms[0]
    return product[0] if len(terms) == len(product) == factor == 1 else None


def _excludes_zero(low: int | None, high: int | None) -> bool:
    return (low is not None and low > 0) or (high is not None and high < 0)


def _leaves_rest(difference: Dim) -> bool:
    """Whether what stands before the symbols has a divisor that the plain number has not."""
    if isinstance(difference, int) or any(_is_broken(atom) for atom in difference.atoms):
        return False
    terms = dict(difference.terms)
    constant = terms.pop((), 0)
    return constant % gcd(*terms.values()) != 0


def _is_broken(atom: Atom) -> bool:
    """Whether it may be no whole number."""
    return isinstance(atom, Operation) and atom.kind not in ("//", "%", "max", "min", "?")


def _decide(surely: bool, never: bool) -> bool | None:
    return True if surely else False if never else None


def _is_sum(size: Dim) -> bool:
    return isinstance(size, Size) and (len(size.terms) > 1 or size.terms[0][1] != 1)


def _in_brackets(atom: Atom) -> str:
    text = str(atom)
    return f"({text})" if isinstance(atom, Operation) and atom.kind in ("//", "%") else text
