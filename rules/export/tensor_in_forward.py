"""LT108: a tensor made in forward on the CPU, or copied together from the items of others."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from lintorch.core.finding import Applicability, Fix, Harm, Hit, Refuted, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Combined, Compared
from lintorch.evaluator.values import Items, Tensor, Value
from lintorch.evidence import MixedDevices, OperatorCall, SameDevice, Trace, host_reads
from lintorch.facts.models.device_names import name_device
from lintorch.facts.models.made_on_cpu import find_cpu_maker, follows_model, has_default
from lintorch.facts.models.value_ways import list_operands
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT108",
    summary="a tensor made on the CPU, or from items of others, in forward",
    why="""
        `torch.zeros(n)` without `device=` is made on the CPU, wherever the model is. Added to,
        multiplied or compared with an input on a GPU it raises, unless it has no dimension at
        all (`torch.tensor(2.0)`). Looking up rows with it (`x[torch.arange(n)]`) is fine.
        `torch.tensor([a, b])` of tensors a and b copies their numbers: `torch.export` refuses,
        the legacy exporter and jit.trace warn and keep the example's; for `torch.Tensor([a])`
        the new ONNX exporter refuses as well. `torch.stack` does what was meant. Measured on
        torch 2.13.

        Say `device=x.device`, or register a constant with `register_buffer`, which also spares
        making it at each call.
    """,
    bad="""
        import torch
        from torch import nn


        class Positions(nn.Module):
            def forward(self, x):
                return x + torch.arange(x.shape[1])
    """,
    good="""
        import torch
        from torch import nn


        class Positions(nn.Module):
            def forward(self, x):
                return x + torch.arange(x.shape[1], device=x.device)
    """,
    remedy="pass device=x.device, of a tensor x that it meets",
    proof="""
        import torch

        Positions()(torch.zeros(2, 3, device="meta"))
    """,
    fix=Applicability.SAFE,
)

COPIED = {
    "torch.export": Harm.REFUSED,
    "onnx-legacy": Harm.WARNED,
    "torchscript-trace": Harm.WARNED,
    "torchscript-script": Harm.REFUSED,
}
EAGERLY = {**COPIED, "onnx": Harm.REFUSED}
COPIES = {
    "torch.tensor": COPIED,
    "torch.Tensor": EAGERLY,
    "torch.FloatTensor": EAGERLY,
    "torch.LongTensor": EAGERLY,
}
MEETING = (
    *(
        f"{home}{name}"
        for home in ("torch.", "torch.Tensor.")
        for name in (
            "matmul", "mm", "bmm", "mv", "addmm", "baddbmm", "where", "masked_fill", "masked_fill_",
            "masked_scatter", "masked_select", "index_select", "gather", "scatter", "scatter_",
            "scatter_add", "scatter_add_", "index_add", "index_add_", "index_copy", "index_copy_",
            "take_along_dim", "add", "add_", "sub", "sub_", "mul", "mul_", "div", "div_", "maximum",
            "minimum", "eq", "ne", "lt", "gt", "le", "ge", "logical_and", "logical_or", "lerp",
            "cross",
        )
    ),
    *(
        f"torch.{name}"
        for name in (
            "cat", "concat", "concatenate", "stack", "hstack", "vstack", "dstack", "einsum", "cdist",
        )
    ),
    *(
        f"torch.nn.functional.{name}"
        for name in (
            "embedding", "linear", "bilinear", "grid_sample", "conv1d", "conv2d", "conv3d",
            "scaled_dot_product_attention", "cosine_similarity", "cross_entropy", "mse_loss",
            "l1_loss", "smooth_l1_loss", "kl_div", "binary_cross_entropy",
            "binary_cross_entropy_with_logits",
        )
    ),
)  # fmt: skip
"""What takes tensors of one device only."""
WEIGHTED = tuple(
    f"torch.nn.{name}.forward"
    for name in (
        "Linear", "Bilinear", "Embedding", "EmbeddingBag", "LSTM", "GRU", "RNN", "LSTMCell", "GRUCell",
        "RNNCell", "MultiheadAttention", "TransformerEncoder", "TransformerDecoder", "Transformer",
        "TransformerEncoderLayer", "TransformerDecoderLayer",
        *(f"Conv{kind}{n}d" for kind in ("", "Transpose") for n in (1, 2, 3)),
    )
)  # fmt: skip
"""Layers whose weights meet all that they are given."""


@rule.event(Combined, Compared)
def in_operation(event: Combined | Compared, source: Source) -> Iterator[Hit]:
    """`x + torch.zeros(3)`, also through names, views and helpers."""
    if not event.way.forward:
        return
    for value, other, written in list_sides(event):
        made = find_cpu_maker(value, source.evaluation)
        if made is None or not follows_model(other, source.evaluation):
            continue
        if has_default(made, source.evaluation):
            continue
        said = f"{write_function(made)}() makes it on the CPU, {ast.unparse(written)} may not be"
        remedy = f"pass device={written.id}.device" if isinstance(written, ast.Name) else None
        fix = place_it(made, event, written, source) or name_place(made, source)
        yield Hit(
            event, said, fix=fix, remedy=remedy, cause=f"made in {made.spot.path}:{made.spot.row}"
        )


@rule.event(*MEETING)
def in_function(event: Called, source: Source) -> Iterator[Hit]:
    """`torch.cat([x, torch.zeros(3)])`: of all that it is given one is made on the CPU, and one is not."""
    tensors = [each for each in list_operands(event) if isinstance(each, Tensor)]
    made = find_made(event, tensors, source) if len(tensors) > 1 else None
    if made is not None and any(follows_model(each, source.evaluation) for each in tensors):
        yield tell_meeting(event, made, "the rest", source)


@rule.event(*WEIGHTED)
def in_layer(event: Called, source: Source) -> Iterator[Hit]:
    """`self.lstm(x, (torch.zeros(1, 2, 8), c))`: a layer's weights are where the model is."""
    made = find_made(event, list_operands(event), source)
    if made is not None:
        yield tell_meeting(event, made, "the layer", source)


def find_made(event: Called, given: Iterable[Value], source: Source) -> Called | None:
    if not event.way.forward or source.evaluation.is_dropped(event):
        return None
    makers = (find_cpu_maker(each, source.evaluation) for each in given)
    made = next((each for each in makers if each is not None), None)
    return None if made is None or has_default(made, source.evaluation) else made


def tell_meeting(event: Called, made: Called, other: str, source: Source) -> Hit:
    """At the line where they meet, as a run would."""
    apart = made.spot.path == event.spot.path and made.spot.row != event.spot.row
    where = f" in line {made.spot.row}" if apart else ""
    said = f"{write_function(made)}(){where} makes it on the CPU, {other} may not be"
    return Hit(
        event, said, fix=name_place(made, source), cause=f"made in {made.spot.path}:{made.spot.row}"
    )


def name_place(made: Called, source: Source) -> Fix | None:
    """`device=x.device` of an input, or a weight, that is at hand in forward; the constructor may call helpers."""
    call, function = source.call_at(made), source.evaluation.find_function(made)
    if call is None or getattr(function, "name", "") != "forward":
        return None
    device = name_device(made, source.evaluation, lambda name: source.spell(name, call))
    text = f"device={device}"
    return Fix(f"pass {text}", (source.insert_argument(call, text),)) if device else None


@rule.event(*COPIES)
def in_call(event: Called, source: Source) -> Iterator[Hit]:
    """`torch.tensor([a, b])` of tensors."""
    first = event.positional[0] if event.positional else event.keyword.get("data")
    listed = isinstance(first, Items) and holds_tensors(first)
    if listed and event.way.forward and not source.evaluation.is_dropped(event):
        said = f"{write_function(event)}() copies the numbers of tensors"
        remedy = "write torch.stack((a, b)), which keeps them in the graph"
        yield Hit(event, said, harm=COPIES[event.name], remedy=remedy)


@rule.trace(MixedDevices)
def in_trace(event: MixedDevices, trace: Trace) -> Iterator[Hit]:
    there, made = list(event.there), list(event.made)
    short = event.operator.rpartition(".")[2].strip("_")
    where = "" if event.row == event.site.row else f" in line {event.row}"
    said = f"a tensor of shape {made}, made on the CPU{where}"
    yield Hit(event, f"with the model on a GPU {short} of {there} and {said}, raises")


@rule.trace(SameDevice)
def in_run(event: SameDevice, trace: Trace) -> Iterator[Refuted]:
    if "ensor(" not in host_reads.source_line(event.site):
        yield Refuted(event, "what is made on the CPU here meets only what is on the CPU, too")


@rule.trace("torch.tensor")
def in_copy(event: OperatorCall, trace: Trace) -> Iterator[Hit]:
    """Only of what the source saw: `torch.tensor(x)` of one tensor is another matter."""
    if event.inputs:
        message = f"the numbers of {len(event.inputs)} tensors were copied here"
        yield Hit(event, message, severity=Severity.NOTE, confirms=True)


def list_sides(event: Combined | Compared) -> Iterator[tuple[Value, Value, ast.expr]]:
    """Each operand with the other one, and how that is written."""
    node = event.node
    if isinstance(node, ast.AugAssign):
        yield event.right, event.left, node.target
    elif isinstance(node, ast.BinOp):
        yield event.left, event.right, node.right
        yield event.right, event.left, node.left
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        yield event.left, event.right, node.comparators[0]
        yield event.right, event.left, node.left


def holds_tensors(given: Value) -> bool:
    """Whether a list holds tensors that were computed."""
    if isinstance(given, Items):
        return any(map(holds_tensors, given.items or ()))
    return isinstance(given, Tensor) and given.data is True


def write_function(event: Called) -> str:
    return ast.unparse(event.node.func) if isinstance(event.node, ast.Call) else event.name


def place_it(
    made: Called, event: Combined | Compared, written: ast.expr, source: Source
) -> Fix | None:
    """`device=x.device`, where both stand in one expression and x is a name."""
    call = source.call_at(made)
    beside = any(each is made.node for each in ast.iter_child_nodes(event.node))
    if call is None or not beside or not isinstance(written, ast.Name):
        return None
    text = f"device={written.id}.device"
    return Fix(f"pass {text}", (source.insert_argument(call, text),))
