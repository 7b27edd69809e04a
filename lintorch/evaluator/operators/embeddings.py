"""Rows of tables by index, and classes as axes."""

from __future__ import annotations

from typing import Any

from lintorch.evaluator.operators.arguments import (
    as_size,
    as_tensor,
    make_counted,
)
from lintorch.evaluator.operators.register import layer_shape, shape_of
from lintorch.evaluator.operators.tensor_types import (
    OPEN,
    TensorType,
    require,
)
from lintorch.evaluator.sizes import Dim

_HOMES = ("torch", "torch.Tensor")


@shape_of("torch.nn.functional.embedding")
def look_up_rows(input: Any, weight: Any) -> TensorType:
    """One row of a table for each index."""
    indices, table = as_tensor(input), as_tensor(weight)
    require(table.rank == 2, "'weight' must be 2-D")
    return TensorType((*indices.sizes, table.sizes[1]), table.dtype)


@layer_shape("torch.nn.Embedding")
def look_up_rows_in_layer(settings: Any, input: Any) -> TensorType:
    """The same as a layer, in the type of its weights."""
    given = settings.get("dtype")
    dtype = "float32" if given is None else None
    return TensorType((*as_tensor(input).sizes, as_size(settings["embedding_dim"])), dtype)


@layer_shape("torch.nn.EmbeddingBag")
def sum_rows_in_layer(settings: Any, input: Any, offsets: Any = None) -> TensorType:
    """Rows of a table summed up for each bag."""
    tensor = as_tensor(input)
    bags = tensor if tensor.rank == 2 else as_tensor(offsets)
    many = bags.sizes[0]
    if tensor.rank == 1 and settings["include_last_offset"] is not False:
        many = many - 1
    return TensorType((many, as_size(settings["embedding_dim"])), "float32")


@shape_of("torch.nn.functional.one_hot")
def mark_classes(tensor: Any, num_classes: Any = -1) -> TensorType:
    """A further axis that is 1 at the class."""
    indices = as_tensor(tensor)
    counted = num_classes is not OPEN and num_classes == -1
    many: Dim = make_counted() if counted else as_size(num_classes)
    return TensorType((*indices.sizes, many), "int64")
