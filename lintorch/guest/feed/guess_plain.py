"""Guesses for arguments that are no tensors: values of their kind, that follow the sizes they speak of."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from torch import nn

from lintorch.guest.feed.guess_inputs import SPATIAL, Guess
from lintorch.guest.feed.guess_lengths import follow_longest
from lintorch.guest.feed.parameter_uses import PlainKind, PlainParameter
from lintorch.guest.feed.plain_parameters import find_plain_parameters, find_vectors
from lintorch.record.models import PlainArgument
from lintorch.record.plain_values import is_plain

_SIDES_OF_TOKENS = (8, 16, 14, 7, 32)
"""How wide a map is made whose places are the tokens of a sequence, in the order it is tried."""
_SMALL_COUNT = 2
_WORD = "train"
_OTHERS: Mapping[PlainKind, tuple[str, ...]] = {
    PlainKind.FLAG: ("False", "True"),
    PlainKind.COUNT: (repr(_SMALL_COUNT), "1", "0", "4"),
    PlainKind.NUMBER: ("1.0", "2", "0.5"),
    PlainKind.NONE: ("None",),
}


@dataclass(frozen=True)
class PlainGuesser:
    """Gives a model's plain parameters values: `needed` are those without a default."""

    known: Mapping[str, PlainParameter]
    needed: tuple[str, ...]
    order: tuple[str, ...]
    defaults: Mapping[str, Any]
    vectors: frozenset[str] = frozenset()
    called: Mapping[str, str] = field(default_factory=dict)
    """Values that a call of the project passes."""

    @classmethod
    def of_module(cls, module: nn.Module, called: Iterable[PlainArgument] = ()) -> PlainGuesser:
        """For the parameters of a module's `forward`, some of which are given what they are `called` with."""
        given = inspect.signature(module.forward).parameters
        passed = {each.name: each.value for each in called}
        known = {
            **{name: PlainParameter(name, PlainKind.NONE) for name in passed},
            **find_plain_parameters(module),
        }
        free = {
            name: each.default for name, each in given.items() if each.default is not each.empty
        }
        needed = tuple(name for name in known if name not in free)
        return cls(known, needed, tuple(given), free, find_vectors(module), passed)

    def add_needed(self, guesses: Iterable[Guess]) -> Iterator[Guess]:
        """The guesses with a value for each plain parameter that has no default."""
        for guess in map(self._flatten_vectors, guesses):
            yield from self._add_values(guess) if self.needed else (guess,)

    def suggest_others(self, guess: Guess) -> Iterator[Guess]:
        """The guess with another value for one of its plain arguments."""
        for number, given in enumerate(guess.plain):
            for value in self._list_values(given.name):
                if value != given.value:
                    plain = list(guess.plain)
                    plain[number] = replace(given, value=value)
                    yield replace(guess, plain=tuple(plain))

    def suggest_keys(self, guess: Guess, missed: str) -> Iterator[Guess]:
        """The guess with each key of a mapping that an argument left out looks up, where its default is the one that was missed."""
        fed = {each.name for each in guess.list_arguments()}
        for name, known in self.known.items():
            if name in fed or name not in self.defaults or repr(self.defaults[name]) != missed:
                continue
            before = self.order[: self.order.index(name)]
            filled = self.fill_gap(guess, [each for each in before if each not in fed])
            for word in known.words:
                plain = (*filled.plain, PlainArgument(name, repr(word)))
                yield replace(filled, plain=plain, order=self.order)

    def fill_gap(self, guess: Guess, names: Iterable[str]) -> Guess:
        """The guess with the defaults, or values made up, of these plain parameters."""
        given = [PlainArgument(name, self._choose_value(name)) for name in names]
        counts = [each for each in given if self._is_count(each.name)]
        longest = {each.name: each for each in follow_longest(counts, guess.inputs)}
        plain = [longest.get(each.name, each) for each in given]
        return replace(guess, plain=(*guess.plain, *plain), order=self.order)

    def _is_count(self, name: str) -> bool:
        """Whether a parameter takes a whole number, and has no default of its own."""
        known = self.known.get(name)
        return known is not None and known.kind is PlainKind.COUNT and name not in self.defaults

    def _flatten_vectors(self, guess: Guess) -> Guess:
        """The guess with a row of numbers for each sample where one is spread over a map."""
        if not any(given.name in self.vectors and len(given.shape) > 2 for given in guess.inputs):
            return guess
        return guess.with_inputs(
            tuple(
                replace(given, shape=given.shape[:2]) if given.name in self.vectors else given
                for given in guess.inputs
            )
        )

    def _choose_value(self, name: str) -> str:
        if name in self.called:
            return self.called[name]
        if name in self.defaults:
            return repr(self.defaults[name]) if is_plain(self.defaults[name]) else "None"
        return next(iter(self._list_values(name)), "None")

    def _list_values(self, name: str) -> tuple[str, ...]:
        known = self.known.get(name)
        if known is None:
            return ()
        if known.kind is PlainKind.WORD:
            return tuple(map(repr, known.words or (_WORD,)))
        return _OTHERS.get(known.kind, ())

    def _add_values(self, guess: Guess) -> Iterator[Guess]:
        sides = [n for n in self.needed if self.known[n].kind in (PlainKind.SIDE, PlainKind.SIDES)]
        filled = self.fill_gap(guess, [name for name in self.needed if name not in sides])
        if not sides:
            yield filled
        else:
            yield from self._add_sides(filled, sides)

    def _add_sides(self, guess: Guess, names: list[str]) -> Iterator[Guess]:
        """Sides of the image that is fed; where tokens are, those of the map that they fill."""
        guess = _lengthen_vectors(guess)
        if any(name in SPATIAL for name in guess.sizes):
            values = [self._name_side(name, "height", "width", "depth") for name in names]
            yield _add_plain(guess, names, values, self.order)
        elif "sequence" in guess.sizes:
            deep = any(self.known[name].side == "depth" for name in names)
            for side in _SIDES_OF_TOKENS:
                height = f"sequence // {side * (2 if deep else 1)}"
                values = [self._name_side(name, height, str(side), "2") for name in names]
                longer = guess.with_sizes(sequence=side * side * (2 if deep else 1))
                yield _add_plain(longer, names, values, self.order)
        else:
            values = [self._name_side(name, "8", "8", "2") for name in names]
            yield _add_plain(guess, names, values, self.order)

    def _name_side(self, name: str, height: str, width: str, depth: str) -> str:
        known = self.known[name]
        if known.kind is PlainKind.SIDES:
            return f"({height}, {width})"
        return {"width": width, "depth": depth}.get(known.side, height)


def _lengthen_vectors(guess: Guess) -> Guess:
    """What has no side is rather a sequence of tokens than one: a linear layer takes both."""
    if guess.sizes.keys() != {"batch"} or any(len(given.shape) != 2 for given in guess.inputs):
        return guess
    longer = (
        replace(given, shape=(given.shape[0], "sequence", given.shape[1])) for given in guess.inputs
    )
    return guess.with_inputs(tuple(longer))


def _add_plain(guess: Guess, names: list[str], values: list[str], order: tuple[str, ...]) -> Guess:
    plain = (PlainArgument(name, value) for name, value in zip(names, values, strict=True))
    return replace(guess, plain=(*guess.plain, *plain), order=order)
