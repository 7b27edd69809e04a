"""`einsum`: an equation of letters for axes."""

from __future__ import annotations

from typing import Any

from lintorch.evaluator.operators.arguments import as_tensors, differ_surely
from lintorch.evaluator.operators.broadcast import broadcast_shapes
from lintorch.evaluator.operators.promote_dtypes import promote_operands
from lintorch.evaluator.operators.register import shape_of
from lintorch.evaluator.operators.tensor_types import (
    Shape,
    ShapeError,
    TensorType,
    UndecidedError,
    require,
)
from lintorch.evaluator.sizes import Dim


@shape_of("torch.einsum")
def follow_equation(equation: Any, operands: Any) -> TensorType:
    """Letters on both sides are axes that stay, others are summed over."""
    if not isinstance(equation, str):
        raise UndecidedError
    tensors = as_tensors(operands)
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(tensors):
        fewer = "fewer" if len(terms) > len(tensors) else "more"
        raise ShapeError(f"einsum(): {fewer} operands were provided than specified in the equation")
    sizes: dict[str, Dim] = {}
    dots: Shape = ()
    for number, (term, tensor) in enumerate(zip(terms, tensors, strict=True)):
        dots = broadcast_shapes(dots, _read_term(term, tensor, number, sizes))
    if not arrow:
        right = "..." * ("..." in left) + "".join(
            letter for letter in sorted(sizes) if left.count(letter) == 1
        )
    return TensorType(_list_output(right, sizes, dots), promote_operands(*tensors))


def _read_term(term: str, tensor: TensorType, number: int, sizes: dict[str, Dim]) -> Shape:
    """Puts the sizes of a term's letters with the others; what stands for its dots."""
    before, dots, after = term.partition("...")
    many = tensor.rank - len(before) - len(after)
    if many < 0 or (many and not dots):
        raise ShapeError(
            f"einsum(): the number of subscripts in the equation ({len(before + after)}) does not "
            f"match the number of dimensions ({tensor.rank}) for operand {number} and no ellipsis "
            "was given"
        )
    own = tensor.sizes[: len(before)] + tensor.sizes[len(before) + many :]
    for letter, size in zip(before + after, own, strict=True):
        known = sizes.get(letter, 1)
        if known != 1 and size != 1 and differ_surely(known, size):
            raise ShapeError(
                f"einsum(): subscript {letter} has size {size} for operand {number} which does not "
                f"broadcast with previously seen size {known}"
            )
        if known == 1 or (isinstance(size, int) and size != 1):
            sizes[letter] = size
    return tensor.sizes[len(before) : len(before) + many]


def _list_output(right: str, sizes: dict[str, Dim], dots: Shape) -> Shape:
    before, has_dots, after = right.partition("...")
    for letter in before + after:
        require(
            letter in sizes,
            f"einsum(): output subscript {letter} does not appear in the equation for any input operand",
        )
    inner = dots if has_dots else ()
    return (*(sizes[x] for x in before), *inner, *(sizes[x] for x in after))
