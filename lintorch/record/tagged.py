"""Values that travel under the name of their kind, so that the reader can tell one from the others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar


class Tagged:
    """Base of frozen classes that travel with their `tag`: `{"raised": {…}}`.

    `class Raised(RunEvent, tag="raised")` is one of them. A class without a tag, as RunEvent,
    stands for any that is derived from it.
    """

    tag: ClassVar[str] = ""

    def __init_subclass__(cls, tag: str = "", **rest: Any) -> None:
        super().__init_subclass__(**rest)
        cls.tag = tag


def tagged_classes(base: type[Tagged]) -> Iterator[type[Tagged]]:
    """A class, or all below it, that have a tag."""
    if base.tag:
        yield base
    for kind in base.__subclasses__():
        yield from tagged_classes(kind)
