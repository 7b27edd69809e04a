"""Whether a tensor may hold an exact zero in an ordinary run, as what it was made by shows."""

from __future__ import annotations

from collections.abc import Iterator

from lintorch.evaluator.events import Combined
from lintorch.evaluator.values import Constant, Tensor, Value
from lintorch.facts.models.operation_steps import MOVES, find_operand, name_operation
from lintorch.facts.models.value_ways import Operation, ValueWays

_ZEROED = frozenset(
    {
        "relu", "relu_", "relu6", "threshold", "hardtanh", "clamp_min", "one_hot", "bincount", "histc",
        "zeros", "zeros_like", "new_zeros", "scatter", "scatter_", "scatter_add", "scatter_add_",
        "eq", "ne", "gt", "lt", "ge", "le", "isnan", "isfinite", "logical_and", "logical_or",
        "logical_not", "cdist", "stft", "rfft", "fft", "tril", "triu",
    }
)  # fmt: skip
"""Operations that write zeros for much of what they are given: of counts, masks, silence and what ReLU cuts off."""
_KEEPING = MOVES | {
    "sum", "mean", "norm", "abs", "abs_", "pow", "Pow", "square", "sqrt", "sqrt_", "max", "amax",
    "std", "var", "prod", "Mult", "mul", "clamp", "clip", "float", "double", "half", "type",
    "type_as", "long", "int", "expand", "expand_as", "repeat", "linalg.norm", "vector_norm",
    "conj", "real", "nan_to_num", "magnitude",
}  # fmt: skip
"""Operations that give a zero where they are given zeros."""
_NEAREST = frozenset({"sort", "topk", "min", "amin"})
"""What picks the nearest of several: a point is at no distance from itself."""
_MASKED = frozenset({"masked_fill", "masked_fill_", "where"})
_SHARES = frozenset({"softmax", "sigmoid"})


def may_hold_zeros(value: Value, ways: ValueWays, nearest: bool = False) -> bool:
    """Whether zeros are met on the way back through what keeps them.

    An input of the model may be zero where it is padded, silent or black. `nearest` says that the
    smallest distances of several are meant.
    """
    zeroed = _ZEROED | _NEAREST if nearest else _ZEROED
    for each, made in _walk_back(value, ways):
        if made is None:
            compared = ways.find_comparison(each) is not None
            if compared or (isinstance(each, Tensor) and each.origin == "input"):
                return True
        elif name_operation(made) in zeroed or _leaves_zeros(made, ways):
            return True
    return False


def _walk_back(value: Value, ways: ValueWays) -> Iterator[tuple[Value, Operation | None]]:
    waiting = [value]
    for _ in range(_MOST_STEPS):
        if not waiting:
            return
        each = waiting.pop()
        made = ways.find_maker(each)
        yield each, made
        if made is None or name_operation(made) not in _KEEPING:
            continue
        given = (made.left, made.right) if isinstance(made, Combined) else (find_operand(made),)
        waiting += [operand for operand in given if operand is not None]


_MOST_STEPS = 40


def _leaves_zeros(made: Operation, ways: ValueWays) -> bool:
    return _is_share_of_mask(made, ways) or _is_rest_of_share(made, ways)


def _is_share_of_mask(made: Operation, ways: ValueWays) -> bool:
    """`softmax(x.masked_fill(mask, -inf))`."""
    under = ways.find_maker(find_operand(made)) if name_operation(made) == "softmax" else None
    return under is not None and name_operation(under) in _MASKED


def _is_rest_of_share(made: Operation, ways: ValueWays) -> bool:
    """`1 - sigmoid(x)`, which is 0 from an x of 17 on."""
    if not isinstance(made, Combined) or made.operator != "Sub":
        return False
    share = ways.find_maker(made.right)
    one = isinstance(made.left, Constant) and made.left.value == 1
    return one and share is not None and name_operation(share) in _SHARES
