"""LT311: a layer that is given float64, or whole numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import name_given
from lintorch.evaluator.values import (
    NONE,
    TRUE,
    Constant,
    External,
    Held,
    Spot,
    Tensor,
    Unknown,
    Value,
)
from lintorch.facts.models.gradient_graphs import GradientGraphs
from lintorch.facts.models.operation_steps import find_operand
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT311",
    summary="a layer is given float64 or whole numbers",
    why="""
        The weights of a layer are float32, and it raises for an input of another type. NumPy's numbers are
        float64 unless one asks for something else, and `torch.from_numpy` and `torch.tensor` keep that;
        a division of uint8 by 255 makes float64 too. An image that was read, the result of argmax
        or one_hot, and `torch.randint` are whole numbers. Autocast converts neither. Convert where
        the tensor is made, or give the array its type: `array.astype(np.float32)`. Measured on torch 2.13.

        Reported where the type is sure and nothing that is seen converts the model.
    """,
    bad="""
        import numpy as np
        import torch
        from torch import nn

        net = nn.Linear(3, 1)
        rows = torch.from_numpy(np.ones((10, 3)))
        scores = net(rows)
    """,
    good="""
        import numpy as np
        import torch
        from torch import nn

        net = nn.Linear(3, 1)
        rows = torch.from_numpy(np.ones((10, 3), dtype=np.float32))
        scores = net(rows)
    """,
    remedy="convert it: x.float()",
    proof="""
        assert scores.shape == (10, 1)
    """,
    severity=Severity.ERROR,
)

WEIGHTED = frozenset(
    {
        "Linear", "Bilinear", "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d",
        "ConvTranspose3d", "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "LayerNorm", "GroupNorm",
        "PReLU", "LSTM", "GRU", "RNN", "LSTMCell", "GRUCell", "RNNCell", "MultiheadAttention",
        "TransformerEncoderLayer",
    }
)  # fmt: skip
PLAIN_SETTINGS = ("affine", "elementwise_affine")
OTHER_TYPES = {
    **{name: f"{name}, whole numbers" for name in ("uint8", "int8", "int16", "int32", "int64")},
    "bool": "bool",
    "float64": "float64",
}
CONVERTING = frozenset({"double", "half", "bfloat16", "type", "to_empty"})
DEFAULTS = re.compile(r"set_default_(dtype|tensor_type|device)")


@rule.event(*(f"torch.nn.{name}.forward" for name in WEIGHTED))
def in_layer(event: Called, source: Source) -> Iterator[Hit]:
    held, kind = find_operand(event), name_other_type(event)
    if not kind or DEFAULTS.search(source.text) or is_converted(event, source):
        return
    steps = source.evaluation.steps.list_steps(held)
    if any(isinstance(each.event, Called) and name_other_type(each.event) for each in steps):
        return
    if event.way.forward and (not steps or is_given(find_operand(steps[-1].event), held)):
        return
    message = f"{event.name.split('.')[2]} with float32 weights is given {kind}: it raises"
    entry = None if event.way.forward else find_entry(event)
    here = entry is not None and entry.path == source.path
    severity = None if event.way.certain else Severity.WARNING
    yield Hit(
        source.evaluation.place(entry) if entry and here else event, message, severity=severity
    )


@rule.event(*(f"torch.nn.{name}" for name in ("CrossEntropyLoss", "NLLLoss")))
@rule.event(*(f"torch.nn.functional.{name}" for name in ("cross_entropy", "nll_loss")))
def in_weights(event: Called, source: Source) -> Iterator[Hit]:
    """`nn.CrossEntropyLoss(weight=torch.tensor(counts))`: weights of classes are of the scores' type."""
    weight = name_given(event).get("weight")
    kind = weight.dtype if isinstance(weight, Tensor) and weight.sure else None
    doubled = re.search(r"\.double\(\)|float64|set_default_dtype", source.text) is not None
    if kind in OTHER_TYPES and not (kind == "float64" and doubled):
        message = f"weights of classes of {OTHER_TYPES[kind]}, beside scores of float32: it raises"
        yield Hit(event, message, remedy="convert them: weight.float()")


def is_given(value: Value | None, held: Value | None) -> bool:
    """Whether it has the type of an input of the model, which is that of one call of it."""
    if not isinstance(value, Tensor) or not isinstance(held, Tensor):
        return False
    return value.origin == "input" and value.dtype == held.dtype


def name_other_type(event: Called) -> str:
    """What a layer of float32 weights is given that it cannot take; "" of anything else."""
    settings = event.settings
    if not event.name.startswith("torch.nn.") or not settings:
        return ""
    weightless = any(settings.get(name) not in (None, TRUE) for name in PLAIN_SETTINGS)
    if weightless or settings.get("dtype", NONE) != NONE:
        return ""
    held = find_operand(event)
    known = isinstance(held, Tensor) and held.sure and not held.guessed
    return OTHER_TYPES.get(held.dtype or "", "") if known and isinstance(held, Tensor) else ""


def is_converted(event: Called, source: Source) -> bool:
    """Whether the model that the layer is a part of is made of another type, or may be."""
    happened = tuple(
        each
        for reached in source.evaluation.reached
        for each in reached.events
        if each.way.root == event.way.root
    )
    moved = [each for each in happened if isinstance(each, Called) and converts(each)]
    graphs = GradientGraphs(happened, source.evaluation.ways) if moved else None
    return graphs is not None and any(
        is_part(event.positional[0], each.positional[0], graphs) for each in moved
    )


def is_part(layer: Value, model: Value, graphs: GradientGraphs) -> bool:
    """Whether a layer is a model, or a part of it."""
    if not isinstance(layer, Held) or not isinstance(model, Held):
        return True
    return layer.address in graphs.list_parts(model.address)


def converts(event: Called) -> bool:
    """`model.double()`, `model.to(torch.float64)`, `model.to(dtype)`."""
    home, _, method = event.name.rpartition(".")
    if not home.startswith("torch.nn.") or method not in (*CONVERTING, "to"):
        return False
    given: tuple[Value, ...] = (*event.positional[1:], *event.keyword.values())
    several = len(given) > 1 and not isinstance(given[1], Constant)
    return method != "to" or event.open or several or any(map(may_be_type, given))


def may_be_type(value: Value) -> bool:
    """Whether it may be a type, by its name where nothing else is known."""
    if isinstance(value, External):
        return value.path.startswith("torch.")
    return isinstance(value, Unknown) and "type" in value.path


def find_entry(event: Called) -> Spot | None:
    """Where the model is called, of which a layer is given the input."""
    names, calls = event.way.names, event.way.spots
    inner = next((at for at, name in enumerate(names) if name.endswith(".forward")), None)
    if not inner or names[inner].startswith(f"{names[0]}."):  # the model is followed by itself
        return calls[0] if inner == 0 and len(calls) == len(names) else None
    at = inner - (len(names) - len(calls))
    return calls[at] if at >= 0 else None
