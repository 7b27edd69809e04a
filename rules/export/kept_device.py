"""LT133: the device of a tensor, asked for in forward, which a trace keeps as that of its example."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Harm, Hit, Severity
from lintorch.core.profile import Profile
from lintorch.core.rule import Rule
from lintorch.evaluator.events import (
    AttributeSet,
    Called,
    Combined,
    Indexed,
    ItemSet,
    Occurrence,
)
from lintorch.evaluator.values import Tensor
from lintorch.evidence import KeptDevice, Outcome, Trace, Trial
from lintorch.facts.models.buffer_edits import find_made, keep_as_buffer
from lintorch.facts.models.tensor_writes import find_written
from lintorch.source import UNKNOWN, Source, literal

rule = Rule(
    __name__,
    code="LT133",
    summary="a tensor's device, which a trace keeps",
    why="""
        `torch.zeros(n, device=x.device)` and `y.to(x.device)` are right in eager, on every device.
        torch.jit.trace and torch.export keep the device of their example as a constant: traced
        on a CPU, the line makes a tensor on the CPU for ever. Run there, nothing is wrong. Loaded
        for a GPU, also with `map_location`, and met there by a tensor of the model, it raises
        "Expected all tensors to be on the same device". ONNX has no devices. Seen on torch 2.13
        without a GPU: what was traced on the CPU is run on the `meta` device.

        Where a run found it, the fix keeps what is made of constants as a buffer that is not part
        of the state_dict, and writes `x.new_zeros(n)` for `torch.zeros(n, device=x.device)`.

        Trace on the device that the model runs on. Else write what asks no device:
        `x.new_zeros(n)`, `torch.zeros_like(x)`, `torch.arange(n).type_as(x)` where x holds floats, a registered buffer;
        or put the line into a function under `torch.jit.script`, which asks at each call. A program of
        torch.export is moved by `torch.export.passes.move_to_device_pass`; that exporter is spoken
        of only where settings, options or the project's calls name it.
    """,
    bad="""
        import torch
        from torch import nn


        class Steps(nn.Module):
            def forward(self, x):
                return x + torch.arange(x.shape[1], device=x.device)
    """,
    good="""
        import torch
        from torch import nn


        class Steps(nn.Module):
            def forward(self, x):
                return x + torch.arange(x.shape[1]).type_as(x)
    """,
    remedy="register what is made here as a buffer, or export on the device it is to run on",
    proof="""
        import torch

        program = torch.export.export(Steps(), (torch.ones(1, 8),)).module()
        program.to("meta")(torch.ones(1, 8, device="meta"))
    """,
    severity=Severity.WARNING,
)


MAKERS = {
    **dict.fromkeys(("torch.zeros", "torch.ones", "torch.full", "torch.empty"), "new_"),
    **dict.fromkeys(("torch.tensor", "torch.arange", "torch.linspace", "torch.eye"), ""),
}
"""What makes a tensor of no other, and how its method of a tensor begins that asks no device."""


@rule.event(*MAKERS)
def in_source(event: Called, source: Source) -> Iterator[Hit]:
    """What a run, or an export, may show to stay on the device of the example."""
    call = source.call_at(event)
    if call is None or not event.way.forward or source.name(call.func) != event.name:
        return
    if fix := keep(event, call, source) or make_of_tensor(event, call, source):
        yield Hit(event, "made on a device that a trace keeps", fix=fix, confirms=True)


def keep(event: Called, call: cst.Call, source: Source) -> Fix | None:
    """`self.scale`, registered by the constructor, for `torch.tensor([0.5, 0.2], device=x.device)`."""
    args = [arg for arg in call.args if not is_device(arg)]
    known = (literal(arg.value) is not UNKNOWN or is_type(arg) for arg in args)
    if not args or any(arg.star for arg in args) or not all(known) or is_changed(event, source):
        return None
    made, line = find_made(call, source), source.enclosing(call, cst.Assign)
    target = line.targets[0].target if line is not None and line.value is call else None
    name = target.value if isinstance(target, cst.Name) else event.name.rpartition(".")[2]
    edits = keep_as_buffer(made, args, name, source) if made is not None else None
    return None if edits is None else Fix(f"keep {name} as a buffer", edits, Applicability.UNSAFE)


def make_of_tensor(event: Called, call: cst.Call, source: Source) -> Fix | None:
    """`x.new_zeros(n)` for `torch.zeros(n, device=x.device)`, of a tensor of floats.

    `torch.arange(n).type_as(x)` of whole numbers where that meets x alone: the same bits in float16,
    bfloat16, float32 and float64, but another type where x holds whole numbers itself.
    """
    devices = [arg for arg in call.args if is_device(arg)]
    if len(devices) != 1 or event.keyword.get("dtype") is not None:
        return None
    device = devices[0].value
    held = device.value if isinstance(device, cst.Attribute) else None
    if not isinstance(held, cst.Name) or source.code(device) != f"{held.value}.device":
        return None
    whole = [arg.keyword is not None and arg.keyword.value == "out" for arg in call.args]
    result = event.result
    counts = event.name == "torch.arange" and isinstance(result, Tensor) and result.dtype == "int64"
    known = isinstance(result, Tensor) and (counts or result.dtype in (None, "float32"))
    if any(whole) or not known:
        return None
    given = [source.code(arg).strip().rstrip(",") for arg in call.args if not is_device(arg)]
    if counts and meets(event, held.value, source):
        text = f"{source.code(call.func)}({', '.join(given)}).type_as({held.value})"
        return Fix(f"write {text}", (source.replace(call, text),), Applicability.UNSAFE)
    if not MAKERS[event.name]:
        return None
    text = f"{held.value}.{MAKERS[event.name]}{event.name.rpartition('.')[2]}({', '.join(given)})"
    return Fix(f"write {text}", (source.replace(call, text),), Applicability.UNSAFE)


def meets(event: Called, name: str, source: Source) -> bool:
    """Whether what is made is combined with the tensor of this name, of floats, and nothing else."""
    users = source.evaluation.ways.find_users(event.result)
    return bool(users) and all(takes_floats(each, name) for each in users)


def takes_floats(user: Occurrence, name: str) -> bool:
    """Whether one side of an operation is the tensor of this name, which is not known to hold others."""
    if not isinstance(user, Combined) or not isinstance(user.node, ast.BinOp):
        return False
    sides = ((user.node.left, user.left), (user.node.right, user.right))
    held = [value for node, value in sides if ast.unparse(node) == name]
    return any(
        isinstance(value, Tensor) and (value.dtype or "float").startswith(("float", "bfloat"))
        for value in held
    )


def is_device(arg: cst.Arg) -> bool:
    return arg.keyword is not None and arg.keyword.value == "device"


def is_type(arg: cst.Arg) -> bool:
    """`dtype=torch.float32`."""
    named = arg.keyword is not None and arg.keyword.value == "dtype"
    return named and isinstance(arg.value, cst.Attribute) and isinstance(arg.value.value, cst.Name)


def is_changed(event: Called, source: Source) -> bool:
    """Whether what is made is written to, given on, or read by anything but operations on tensors."""
    ways = source.evaluation.ways
    users = [*ways.find_users(event.result)]
    parts = [
        part for each in users if isinstance(each, Indexed) for part in ways.find_users(each.result)
    ]
    whole = [each for each in users if not isinstance(each, Indexed)]
    if any(source.evaluation.find_returns(event.result)):
        return True
    for _, each in source.evaluation.list_events({AttributeSet, ItemSet}):
        held = isinstance(each, (AttributeSet, ItemSet)) and (each.held, each.value)
        if held and any(value is event.result for value in held):
            return True
    return not users or not all(map(only_reads, (*whole, *parts)))


def only_reads(event: Occurrence) -> bool:
    if isinstance(event, Combined):
        return not event.inplace
    called = isinstance(event, Called) and event.name.startswith("torch.")
    return called and find_written(event) is None


@rule.trace(KeptDevice)
def in_trace(event: KeptDevice, trace: Trace) -> Iterator[Hit]:
    message = "a trace keeps the device of its example here"
    yield Hit(event, message, harm=kept_by(trace.profile), detail=describe(event))


@rule.trial("ok", "wrong", "random")
def in_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    """Where the exported graph holds the device as a constant of the line."""
    if outcome.exporter not in kept_by(trial.profile):
        return
    rows = {(site.path, site.row) for site in outcome.devices}
    for event in trial.trace.find_events(KeptDevice):
        if (event.site.path, event.site.row) in rows:
            message = f"{outcome.exporter} keeps the device of its example here"
            yield Hit(event, message, tried=Harm.FAILS, beside=True, detail=describe(event))


def describe(event: KeptDevice) -> str:
    """What is kept, and what comes of it elsewhere."""
    short, meets = event.function.rpartition(".")[2], event.operator.rpartition(".")[2].strip("_")
    where = "" if event.row == event.site.row else f" in line {event.row}"
    made = f"what {short}() gives, of shape {list(event.made)}, stays on the first"
    return (
        f"traced on one device and run on another, {made}, and {meets} with a tensor of"
        f" {list(event.there)}{where} raises"
    )


def kept_by(profile: Profile) -> dict[str, Harm]:
    """torch.export has a pass that moves a program: spoken of where somebody says it is in use."""
    kept = {"torchscript-trace": Harm.FAILS}
    if profile.is_chosen:
        kept["torch.export"] = Harm.FAILS
    return kept
