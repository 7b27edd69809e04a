"""Which operations hand no gradient on, and which values have none of themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lintorch.evaluator.events import AttributeRead, Called, Combined, Indexed, Occurrence
from lintorch.evaluator.unknown_objects import ModelOutput, ScaledLoss, UnknownCalled
from lintorch.evaluator.values import (
    FALSE,
    TRUE,
    Constant,
    External,
    Number,
    Tensor,
    Unknown,
    Value,
    find_unproven,
)
from lintorch.facts.models.operation_steps import name_operation
from lintorch.facts.models.value_ways import Operation

CUTTING = frozenset(
    {
        "detach", "data", "item", "tolist", "argmax", "argmin", "argsort", "eq", "ne", "gt", "lt",
        "ge", "le", "long", "int", "bool", "byte", "isnan", "isinf", "isfinite", "nonzero", "sign",
        "one_hot", "logical_not", "logical_and", "logical_or", "logical_xor", "count_nonzero",
        "searchsorted", "bucketize", "multinomial", "bernoulli", "numel", "size", "numpy",
    }
)  # fmt: skip
MAKING = frozenset(
    {
        "tensor", "as_tensor", "from_numpy", "FloatTensor", "LongTensor", "zeros", "ones", "full",
        "empty", "eye", "arange", "linspace", "rand", "randn", "randint", "randperm", "zeros_like",
        "ones_like", "full_like", "rand_like", "randn_like", "empty_like", "new_zeros", "new_ones",
        "new_tensor", "new_full",
    }
)  # fmt: skip
READING = frozenset({"tensor", "FloatTensor", "LongTensor", "new_tensor"})
"""Those that read the numbers of what they are given."""
PLAIN_LAYERS = re.compile(
    r"^torch\.nn\.(\w*Loss|ReLU6?|LeakyReLU|Sigmoid|Tanh|Softmax|LogSoftmax|Flatten|Identity|"
    r"Softplus|GELU|SiLU|CosineSimilarity|PairwiseDistance)\.forward$"
)
LEAVING = frozenset({"float", "double", "half", "to", "cpu", "cuda", "view", "reshape", "squeeze",
                      "unsqueeze", "flatten", "sum", "mean", "clone", "norm", "square", "pow", "sqrt", "abs", "type", "permute", "contiguous",
                      "view_as", "expand_as", "type_as"})  # fmt: skip
"""Methods of what was read from a batch, of which nothing else is known."""


def turns_on(event: Occurrence) -> bool:
    asked = isinstance(event, (Called, UnknownCalled))
    return asked and name_operation(event) in ("requires_grad_", "retain_grad")  # type: ignore[arg-type]


def is_in_place(event: Called) -> bool:
    last = event.name.rpartition(".")[2]
    return last.endswith("_") and not last.startswith("_") and last != "requires_grad_"


def asks_for_gradient(made: Operation) -> bool:
    """`torch.zeros(2, requires_grad=True)`."""
    return isinstance(made, Called) and (
        made.keyword.get("requires_grad", FALSE) != FALSE
        or name_operation(made) in ("requires_grad_", "Parameter", "Variable")
        or (TRUE in made.positional[1:] and name_operation(made) == "Variable")
    )


def is_whole(value: Value) -> bool:
    """Whether it is a tensor of whole numbers or truths: no gradient flows through them."""
    kind = value.dtype if isinstance(value, Tensor) else None
    return kind is not None and kind.startswith(("bool", "int", "uint"))


def is_data(value: Value) -> bool:
    """Whether it is an argument of what is followed, or an item of what a loop goes over."""
    value = find_unproven(value)
    if isinstance(value, Unknown) and not isinstance(value, (ModelOutput, ScaledLoss)):
        return bool(re.match(r"^(<\w+>|\?\[\])(\[\w+\])*$", value.path))
    if isinstance(value, Tensor):
        return value.origin in ("input", "constant") or is_whole(value)
    return False


def list_tensors_given(made: Operation) -> Iterator[Value]:
    """The tensors that an operation is given; not the layer that runs."""
    if isinstance(made, Called):
        skip = made.name.endswith(".forward")
        for value in (*made.positional[skip:], *made.keyword.values()):
            if not (isinstance(value, External) or _is_setting(value)):
                yield value
    elif isinstance(made, Combined):
        yield from (made.left, made.right)
    elif isinstance(made, (Indexed, AttributeRead)):
        yield made.held


def _is_setting(value: Value) -> bool:
    """A constant, or an index."""
    return isinstance(value, (Constant, Number))
