"""LT108: a tensor made in forward on the CPU, or copied together from the items of others."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from lintorch.core.finding import Applicability, Fix, Harm, Hit, Refuted, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Combined, Compared, Indexed
from lintorch.evaluator.values import UNKNOWN, External, Items, Tensor, Value
from lintorch.evidence import MixedDevices, OperatorCall, SameDevice, Trace, host_reads
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

SIZED = frozenset(f"torch.{name}" for name in ("zeros", "ones", "rand", "randn", "full", "empty"))
RANGES = frozenset(f"torch.{name}" for name in ("arange", "linspace", "logspace", "eye"))
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
MAKERS = SIZED | RANGES | {"torch.tensor"}


SHAPED = frozenset(
    {
        "view", "reshape", "unsqueeze", "squeeze", "repeat", "expand", "float", "double", "long",
        "half", "int", "bool", "permute", "transpose", "t", "flatten", "tril", "triu", "clone",
        "contiguous", "repeat_interleave", "exp", "sqrt", "sin", "cos", "log",
    }
)  # fmt: skip
"""Methods and functions that make another such tensor of a tensor."""
SHAPED_AS = ("expand_as", "view_as", "reshape_as")
"""Methods that take of what they are given the shape alone."""
STEPS = 24
MOST = 200


@rule.event(Combined, Compared)
def in_operation(event: Combined | Compared, source: Source) -> Iterator[Hit]:
    """`x + torch.zeros(3)`, also through names, views and helpers."""
    if not event.way.forward or event.operator == "MatMult":
        return
    for value, other, written in list_sides(event):
        made = find_maker(value, source)
        if made is None or not follows_model(other, source) or has_default(made, source):
            continue
        said = f"{write_function(made)}() makes it on the CPU, {ast.unparse(written)} may not be"
        remedy = f"pass device={written.id}.device" if isinstance(written, ast.Name) else None
        yield Hit(event, said, fix=place_it(made, event, written, source), remedy=remedy)


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


def find_maker(value: Value, source: Source) -> Called | None:
    """The call in forward that makes a tensor with dimensions on no device in particular."""
    for _ in range(STEPS):
        made = source.evaluation.ways.find_maker(value)
        if isinstance(made, Indexed):
            value = made.held
        elif isinstance(made, Called) and made.name in MAKERS:
            return made if made.way.forward and is_on_cpu(made) else None
        elif isinstance(made, Called) and made.name.rpartition(".")[2] in SHAPED:
            value = next(list_operands(made), UNKNOWN)
        else:
            return None
    return None


def is_on_cpu(made: Called) -> bool:
    """Not `torch.tensor(2.0)`, `torch.zeros(())`; a shape that is not known may be of no dimension."""
    if made.open or {"device", "out"} & made.keyword.keys():
        return False
    shape = made.result.shape if isinstance(made.result, Tensor) else None
    return made.name in RANGES or bool(shape)


def follows_model(value: Value, source: Source) -> bool:
    """Whether a tensor is on the device of the model: of an input or weight, and not taken to the CPU."""
    if not isinstance(value, Tensor) or (value.data is not True and value.origin not in OWN):
        return False
    ways, waiting, seen = source.evaluation.ways, [value], {id(value)}
    while waiting and len(seen) < MOST:
        each = waiting.pop()
        made = ways.find_maker(each)
        if isinstance(made, Called) and may_move(made):
            continue
        if each.origin in (*OWN, "input") or (isinstance(made, Called) and made.built is not None):
            return True
        if made is None:
            if each.data and "cpu" not in source.evaluation.words:
                return True
            continue
        operands = [*list_operands(made)]
        if isinstance(made, Called) and made.name.rpartition(".")[2] in SHAPED_AS:
            operands = operands[:1]
        more = [v for v in operands if isinstance(v, Tensor) and id(v) not in seen]
        seen.update(map(id, more))
        waiting += more
    return False


OWN = ("parameter", "buffer")


def may_move(made: Called) -> bool:
    """Whether a call may take a tensor to another device; not `x.to(torch.float16)`."""
    last = made.name.rpartition(".")[2]
    if last != "to":
        return last in ("cpu", "from_numpy")
    to = (*made.positional[1:], *made.keyword.values())
    return not any(isinstance(v, (External, Tensor)) for v in to)


def has_default(made: Called, source: Source) -> bool:
    """Whether a `with torch.device(...)` stands around."""
    return any(
        isinstance(outer, ast.With)
        and any("device" in ast.unparse(item.context_expr) for item in outer.items)
        for outer in source.evaluation.list_around(made)
    )


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
