"""An einsum without a product of matrices, as `*`, `permute` and `sum`: `bchw,c->bchw`, `bchw->bhwc`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Elementwise:
    """Operands whose axes follow one order, multiplied, and axes of the result that are added up."""

    operands: tuple[str, ...]
    """What is put behind each: `.permute(1, 0)[:, None]`."""
    finish: str
    """What is put behind the product: `.sum((1, 2)).permute(1, 0)`."""

    @property
    def multiplies(self) -> bool:
        """Whether the whole is a product, which stands in brackets where it is an operand."""
        return len(self.operands) == 2 and not self.finish

    def write(self, operands: Sequence[str]) -> str:
        """The expression, from operands that a method can be called on."""
        ends = zip(operands, self.operands, strict=True)
        whole = " * ".join(f"{operand}{end}" for operand, end in ends)
        return (
            f"({whole}){self.finish}" if self.finish and len(operands) == 2 else whole + self.finish
        )


def find_elementwise(equation: str) -> Elementwise | None:
    """What an equation of one operand or two is; None where it is more, or the product outgrows both.

    A label stands once in each operand. Of two, one has all labels of the other, or none is summed
    over: what is multiplied is then no larger than an operand, or than the result.
    """
    operands, arrow, output = equation.replace(" ", "").partition("->")
    parts = operands.split(",")
    once = all(len(set(each)) == len(each) and each.isalpha() for each in (*parts, output or "a"))
    if not arrow or not once or len(parts) > 2 or not set(output) <= set("".join(parts)):
        return None
    order = _find_order(parts, output)
    if order is None:
        return None
    summed = [n for n, label in enumerate(order) if label not in output]
    rest = [label for label in order if label in output]
    finish = _write_sum(summed) + _write_permute([rest.index(label) for label in output])
    if len(parts) == 1 and not finish:
        return None
    return Elementwise(tuple(_write_aligned(part, order) for part in parts), finish)


def _find_order(parts: Sequence[str], output: str) -> str | None:
    """The labels of the product, in the order of its axes."""
    summed = set("".join(parts)) - set(output)
    if not summed and len(parts) == 2:
        return output
    largest = max(parts, key=len)
    return largest if set(largest) >= set("".join(parts)) else None


def _write_aligned(labels: str, order: str) -> str:
    """How an operand gets axes in an order: those that it lacks are of size 1."""
    own = [label for label in order if label in labels]
    places = [":" if label in labels else "None" for label in order[order.index(own[0]) :]]
    while places and places[-1] == ":":
        places.pop()
    return _write_permute([labels.index(each) for each in own]) + (
        f"[{', '.join(places)}]" if places else ""
    )


def _write_permute(move: Sequence[int]) -> str:
    return "" if list(move) == sorted(move) else f".permute({', '.join(map(str, move))})"


def _write_sum(axes: Sequence[int]) -> str:
    if not axes:
        return ""
    return f".sum({axes[0] if len(axes) == 1 else tuple(axes)})"
