"""LT112: a forward pass that names the GPU, wherever its input lies."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.values import Value
from lintorch.facts.models.value_ways import Operation
from lintorch.source import Source, literal

rule = Rule(
    __name__,
    code="LT112",
    summary="a GPU named in forward",
    why="""
        `.cuda()`, `device="cuda"` and `.to("cuda:0")` in forward mean the current GPU, or the
        first, whatever device the model and its input are on. The model cannot run on a CPU, on
        another GPU or under DataParallel, and a traced or exported graph keeps the device as a
        constant. `x.get_device()` is -1 on a CPU, which is no device. Measured on torch 2.13.

        Take the device of a tensor at hand: `torch.zeros(n, device=x.device)`, `y.to(x.device)`.
        Lines under a test of `is_cuda` or of a device are left alone.
    """,
    bad="""
        import torch
        from torch import nn


        class Shift(nn.Module):
            def forward(self, x):
                return x + torch.ones(x.shape[1], device=x.get_device())
    """,
    good="""
        import torch
        from torch import nn


        class Shift(nn.Module):
            def forward(self, x):
                return x + torch.ones(x.shape[1], device=x.device)
    """,
    proof="""
        import torch

        Shift()(torch.zeros(2, 3))
    """,
    fix=Applicability.SAFE,
)

GPU = re.compile(r"^cuda(:\d+)?$")
ASKED = re.compile(r"is_cuda|device|cuda\.is_available|use_cuda|use_gpu|\bgpu\b", re.I)


@rule.source(cst.Call, needs=("cuda",))
def in_call(call: cst.Call, source: Source) -> Iterator[Hit]:
    found = named(call, source)
    if found and source.in_traced_forward(call) and not is_guarded(call, source):
        yield found


@rule.event("torch.Tensor.cuda")
def in_move(event: Called, source: Source) -> Iterator[Hit]:
    """`y.cuda()` of a tensor; of a module it is not said here."""
    if event.way.forward and not is_asked_around(event, source):
        text = source.evaluation.text(event.spot)
        yield Hit(event, f"{text} goes to a GPU wherever the input is")


@rule.event("torch.Tensor.get_device", "torch.get_device")
def in_question(event: Called, source: Source) -> Iterator[Hit]:
    """`device=x.get_device()`, `y.to(x.get_device())`."""
    ways = source.evaluation.ways
    if not event.way.forward or not any(
        takes_device(user, event.result) for user in ways.find_users(event.result)
    ):
        return
    if is_asked_around(event, source):
        return
    call, fix = source.call_at(event), None
    if call is not None and isinstance(call.func, cst.Attribute) and not call.args:
        text = f"{source.code(call.func.value)}.device"
        fix = Fix(f"write {text}", (source.replace(call, text),))
    text = source.evaluation.text(event.spot)
    yield Hit(event, f"{text} is -1 on a CPU, which is no device", fix)


def takes_device(user: Operation, value: Value) -> bool:
    """Whether an operation takes a value for the device to make or move something on."""
    if not isinstance(user, Called):
        return False
    moves = user.name == "torch.Tensor.to" and value in user.positional[1:]
    return moves or user.keyword.get("device") is value


def is_asked_around(event: Called, source: Source) -> bool:
    """Whether a test around asks what device there is."""
    for outer in source.evaluation.list_around(event):
        if isinstance(outer, (ast.If, ast.IfExp)) and ASKED.search(ast.unparse(outer.test)):
            return True
        if isinstance(outer, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return False
    return False


def named(call: cst.Call, source: Source) -> Hit | None:
    """`device="cuda"` of what is made, `y.to("cuda")`, `torch.device("cuda:0")`."""
    name, func = source.name(call.func), call.func
    given: list[cst.BaseExpression] = [
        arg.value for arg in call.args if arg.keyword and arg.keyword.value == "device"
    ]
    method = func.attr.value if isinstance(func, cst.Attribute) and not name else ""
    if name == "torch.device" or method == "to":
        given += [arg.value for arg in call.args[:1] if not arg.keyword and not arg.star]
    elif not name.startswith("torch.") and not method.startswith("new_"):
        return None
    for value in given:
        text = literal(value)
        if isinstance(text, str) and GPU.match(text):
            return Hit(value, f"{source.code(value)} is a GPU wherever the input is")
    return None


def is_guarded(call: cst.Call, source: Source) -> bool:
    """Whether a test or a line around asks what device there is."""
    for outer in source.ancestors(call):
        if isinstance(outer, (cst.If, cst.IfExp)) and ASKED.search(source.code(outer.test)):
            return True
        if isinstance(outer, cst.Call) and source.name(outer.func).startswith(
            ("torch.autocast", "torch.amp.", "torch.cuda.")
        ):
            return True
        if isinstance(outer, cst.FunctionDef):
            return False
    return False
