"""What a shape function is given and gives back."""

from __future__ import annotations

from typing import Any, NoReturn

from lintorch.evaluator.frozen_records import frozen_record
from lintorch.evaluator.sizes import Dim

Shape = tuple[Dim, ...]


class ShapeError(Exception):
    """The operator raises for these shapes, whatever their symbols stand for; says so as torch does."""


class UndecidedError(Exception):
    """What is known of the arguments does not say what the operator gives."""


@frozen_record
class TensorType:
    """The shape and type of a tensor; `shape` is None where not even the rank is known.

    `dtype` is torch's name without the module, such as "float32"; None where unknown.
    """

    shape: Shape | None
    dtype: str | None = None

    @property
    def sizes(self) -> Shape:
        """The shape. Raises UndecidedError where it is unknown."""
        if self.shape is None:
            raise UndecidedError
        return self.shape

    @property
    def rank(self) -> int:
        """The number of axes. Raises UndecidedError where it is unknown."""
        return len(self.sizes)


class Open:
    """An argument of which nothing is known: whoever looks at it gives up with UndecidedError."""

    def _give_up(self, *given: Any) -> NoReturn:
        raise UndecidedError

    __bool__ = __int__ = __index__ = __float__ = __iter__ = __len__ = __getitem__ = _give_up
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __neg__ = _give_up
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __truediv__ = __rtruediv__ = _give_up
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __contains__ = _give_up
    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return "?"

    shape = sizes = rank = dtype = property(_give_up)


OPEN = Open()


def require(holds: bool | None, message: str) -> None:
    """Raises ShapeError where a condition surely does not hold."""
    if holds is False:
        raise ShapeError(message)


def wrap_axis(axis: int, rank: int) -> int:
    """An axis counted from the front. Raises ShapeError in torch's words where there is none."""
    most = max(rank, 1)
    if not -most <= axis < most:
        raise ShapeError(
            "Dimension out of range (expected to be in range of "
            f"[{-most}, {most - 1}], but got {axis})"
        )
    return axis % most
