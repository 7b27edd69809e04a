"""Data classes that nothing changes once they are made, and that are made quickly.

`dataclass(frozen=True)` sets each field by `object.__setattr__`, which takes two to three times as long.
The evaluator makes hundreds of thousands of values and events: here the type checker alone sees to it
that none is changed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**options: Any) -> Callable[[Any], Any]:
        """Of no effect when the program runs."""
        return lambda decorator: decorator


T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen_record(kind: type[T]) -> type[T]:
    """A frozen data class, equal to those with equal fields."""
    return dataclass(unsafe_hash="__hash__" not in vars(kind))(kind)


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
def frozen_identity(kind: type[T]) -> type[T]:
    """A frozen data class that is equal to itself alone, or says itself what it is equal to."""
    return dataclass(eq=False)(kind)
