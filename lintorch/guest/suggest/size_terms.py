"""What is known of a size that varies: a multiple of what, between which numbers, and what follows it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from lintorch.guest.export.eager_reference import NamedSizes
from lintorch.guest.export.size_conditions import SizeCondition

RunsAt = Callable[[NamedSizes], bool]
_FAR = 4096
"""Up to here a bound of a size is looked for."""
_MOST_STEPS = 64
"""No size is looked at as a multiple of more."""
_NO_BOUND = 2
"""Torch takes for given of each size that varies that it is at least so much."""


@dataclass(frozen=True)
class SizeTerm:
    """One size that varies: `height`, a multiple of 32, at most 512.

    `follows` is what it is worked out of, where that is another size: `2*length`, `length + 1`.
    `named` is whether torch.export takes a Dim of its own for it.
    """

    name: str
    size: int
    step: int = 1
    low: int = _NO_BOUND
    high: int | None = None
    follows: str = ""
    named: bool = True
    gap: int | None = None
    """A size between those that it takes at which the code asks for what does not hold."""

    def describe(self) -> str:
        """`a multiple of 32, at most 512`; "" where it may be anything."""
        told = [f"a multiple of {self.step}"] if self.step > 1 else []
        told += [f"at least {self.low}"] if self.low > max(_NO_BOUND, self.step) else []
        told += [f"at most {self.high}"] if self.high is not None else []
        told += [f"always {self.follows}"] if self.follows else []
        told += [f"not all: not {self.gap}"] if self.gap is not None else []
        return ", ".join(told)


@dataclass(frozen=True)
class _Led:
    """A size that is worked out of another one, `2*length`."""

    text: str
    leader: str
    of: Callable[[int], int]

    def work_out(self, at: NamedSizes) -> int:
        """What it is where the other one has its size."""
        return self.of(at[self.leader])


def find_terms(
    names: frozenset[str],
    sizes: NamedSizes,
    others: Sequence[NamedSizes],
    conditions: Sequence[SizeCondition],
    runs_at: RunsAt,
) -> tuple[SizeTerm, ...]:
    """A term for each name that varies, from where the model runs and what its export takes for given.

    `others` are sizes at which the model is known to run; `runs_at` runs it at others.
    """
    terms: list[SizeTerm] = []
    led = _find_leaders([each for each in sizes if each in names], sizes, conditions)

    def runs_along(at: NamedSizes) -> bool:
        """Whether the model runs where what follows other sizes does so."""
        return runs_at({name: led[name].work_out(at) if name in led else at[name] for name in at})

    for name in (each for each in sizes if each in names):
        if name in led:
            terms.append(SizeTerm(name, sizes[name], follows=led[name].text))
            continue
        step = _find_step(name, sizes, others, runs_along)
        term = SizeTerm(name, sizes[name], step)
        known = [at[name] for at in others if name in at]
        terms.append(_bound_term(term, sizes, known, conditions, runs_along))
    return tuple(terms)


def _find_leaders(
    names: Sequence[str], sizes: NamedSizes, conditions: Sequence[SizeCondition]
) -> dict[str, _Led]:
    """By name of a size that follows an earlier one: what it is."""
    led: dict[str, _Led] = {}
    for number, name in enumerate(names):
        before = [each for each in names[:number] if each not in led]
        found = _find_leader(name, before, sizes, conditions)
        if found is not None:
            led[name] = found
    return led


def _find_step(name: str, sizes: NamedSizes, others: Sequence[NamedSizes], runs_at: RunsAt) -> int:
    """The smallest number by which a size can change, though none of the sizes at hand may show it."""
    known = math.gcd(*(at[name] for at in (sizes, *others)))
    group = {n for at in others if at[name] != sizes[name] for n in at if at[n] != sizes[n]}
    steps = [s for s in range(1, min(known, _MOST_STEPS) + 1) if known % s == 0]
    alone = next((s for s in steps[:-1] if _runs_with(frozenset({name}), s, sizes, runs_at)), None)
    if alone is not None:
        return alone
    together = frozenset(group)
    return next((s for s in steps[:-1] if _runs_with(together, s, sizes, runs_at)), steps[-1])


def _runs_with(names: frozenset[str], step: int, sizes: NamedSizes, runs_at: RunsAt) -> bool:
    """Whether the model runs once and three times that much above its first sizes."""
    return all(
        runs_at({n: size + times * step if n in names else size for n, size in sizes.items()})
        for times in (1, 3)
    )


def _bound_term(
    term: SizeTerm,
    sizes: NamedSizes,
    known: Sequence[int],
    conditions: Sequence[SizeCondition],
    runs_at: RunsAt,
) -> SizeTerm:
    """The same with the bounds within which all holds that is said of this size alone.

    Beyond what is `known` to run there is no bound: what fails nearer, as where a rounded size has
    to fit another, leaves sizes out between those that it takes.
    What an operator asks of sizes is no bound where the model runs beyond: what torch then
    chooses among its kernels says nothing of the program.
    """
    mine = [each for each in conditions if each.names == {term.name}]

    def at(size: int) -> NamedSizes:
        return {**sizes, term.name: size}

    def search(conditions: Sequence[SizeCondition], step: int) -> int:
        """The last size, going so far at a time, at which all conditions hold."""
        size = term.size
        while _NO_BOUND <= size + step <= _FAR and all(
            c.holds(at(size + step)) for c in conditions
        ):
            size += step
        return size

    def bound(step: int) -> int:
        decided = search([each for each in mine if each.by_user], step)
        asked = search(mine, step)
        return decided if asked == decided or runs_at(at(asked + step)) else asked

    low, high = bound(-term.step), bound(term.step)
    gap = None
    if any(size > high for size in known):
        high, gap = _FAR, high + term.step
    if any(size < low for size in known):
        low, gap = _NO_BOUND, gap or low - term.step
    return replace(term, low=low, high=high if high + term.step <= _FAR else None, gap=gap)


def _find_leader(
    name: str, before: Sequence[str], sizes: NamedSizes, conditions: Sequence[SizeCondition]
) -> _Led | None:
    """What a size is in terms of an earlier one, where an equality of the export says so: `2*length`."""
    for other in before:
        equal = [each for each in conditions if each.names == {name, other} and "==" in each.text]
        for text, of in _guess_relations(other, sizes[name], sizes[other]):
            if equal and all(
                each.holds({**sizes, other: sizes[other] + more, name: of(sizes[other] + more)})
                for each in equal
                for more in (0, 8, 24)
            ):
                return _Led(text, other, of) if _breaks_alone(name, other, sizes, equal) else None
    return None


def _breaks_alone(name: str, other: str, sizes: NamedSizes, equal: Sequence[SizeCondition]) -> bool:
    """Whether one of the conditions fails wherever one of two sizes changes alone.

    `b * s == b * 2 * (s // 2)` speaks of two sizes, and says of one of them that it is even.
    """
    return any(
        not any(
            each.holds({**sizes, changed: sizes[changed] + more})
            for changed in (name, other)
            for more in range(1, _MOST_STEPS + 1)
        )
        for each in equal
    )


def _guess_relations(other: str, mine: int, theirs: int) -> list[tuple[str, Callable[[int], int]]]:
    if mine == theirs:
        return [(other, lambda size: size)]
    apart = mine - theirs
    found: list[tuple[str, Callable[[int], int]]] = [
        (f"{other} {'+' if apart > 0 else '-'} {abs(apart)}", lambda size: size + apart)
    ]
    if mine % theirs == 0:
        found.insert(0, (f"{mine // theirs}*{other}", lambda size: size * (mine // theirs)))
    return found


def drop_names(terms: Sequence[SizeTerm], refused: str) -> tuple[SizeTerm, ...]:
    """The terms after torch.export has refused some: those that its error names have no Dim any more."""
    told = re.search(r"Constraints violated \(([^)]*)\)", refused)
    names = {each.strip(" _") for each in told[1].split(",")} if told else set()
    hit = {term.name for term in terms if term.name in names}
    hit |= {term.name for term in terms if term.follows and find_names(term.follows) & hit}
    if not hit:
        hit = {term.name for term in terms}
    return tuple(
        replace(term, named=False, follows="") if term.name in hit else term for term in terms
    )


def find_names(expression: str) -> set[str]:
    """The names in `2*length + 1`."""
    return set(re.findall(r"[A-Za-z_]\w*", expression))


def index_terms(terms: Sequence[SizeTerm]) -> Mapping[str, SizeTerm]:
    """By name."""
    return {term.name: term for term in terms}
