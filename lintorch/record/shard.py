"""A share of some work: each of several machines takes one, and together they do all of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Shard:
    """The share `number` of `of`, from 1: every `of`-th piece, in the order of all pieces."""

    number: int = 1
    of: int = 1

    @staticmethod
    def parse(text: str) -> Shard:
        """`3/20`. Raises ValueError."""
        number, slash, of = text.partition("/")
        if not (slash and number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of)):
            raise ValueError(f"{text!r} is no share like 3/20")
        return Shard(int(number), int(of))

    def takes(self, place: int) -> bool:
        """Whether the piece at a place, from 0, is of this share."""
        return place % self.of == self.number - 1

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


WHOLE = Shard()
"""All of it."""
