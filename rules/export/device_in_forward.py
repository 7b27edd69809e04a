"""LT112: a forward pass that names the GPU, wherever its input lies."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit
from lintorch.core.rule import Rule
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


@rule.source(cst.Call, needs=(".cuda(", "cuda", "get_device("))
def in_call(call: cst.Call, source: Source) -> Iterator[Hit]:
    found = moved(call, source) or asked(call, source) or named(call, source)
    if found and source.in_traced_forward(call) and not is_guarded(call, source):
        yield found


def moved(call: cst.Call, source: Source) -> Hit | None:
    """`y.cuda()` of a tensor; of a module it is not said here."""
    func = call.func
    if not isinstance(func, cst.Attribute) or func.attr.value != "cuda":
        return None
    if not source.value(func.value).is_tensor:
        return None
    return Hit(call, f"{source.code(call)} goes to a GPU wherever the input is")


def asked(call: cst.Call, source: Source) -> Hit | None:
    """`device=x.get_device()`, `y.to(x.get_device())`."""
    func, arg = call.func, source.parent(call)
    if not isinstance(func, cst.Attribute) or func.attr.value != "get_device" or call.args:
        return None
    outer = source.parent(arg) if isinstance(arg, cst.Arg) else None
    if not isinstance(outer, cst.Call) or not source.value(func.value).is_tensor:
        return None
    keyword = arg.keyword.value if isinstance(arg, cst.Arg) and arg.keyword else ""
    to = isinstance(outer.func, cst.Attribute) and outer.func.attr.value == "to"
    if keyword != "device" and not (to and outer.args[0] is arg):
        return None
    text = f"{source.code(func.value)}.device"
    fix = Fix(f"write {text}", (source.replace(call, text),))
    return Hit(call, f"{source.code(call)} is -1 on a CPU, which is no device", fix)


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
