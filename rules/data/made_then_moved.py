"""LT504: a tensor that is made on the CPU and then copied to where it could have been made."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.source import Source, literal

rule = Rule(
    __name__,
    code="LT504",
    summary="a fresh tensor that is moved to its device",
    why="""
        `torch.zeros(n).to(device)` fills memory of the host, copies it over, and on a GPU
        waits for the copy. With device= it is made where it is wanted, with the same values.
        Measured on torch 2.13.

        Random tensors are not reported: a generator of the GPU gives other numbers than that
        of the CPU. Nor is torch.tensor of Python values, which is built on the CPU in either
        form. arange and linspace of floats may be rounded in another way on another device,
        so that their fix is not safe.
    """,
    bad="""
        import torch


        def mask(size, device):
            return torch.zeros(size, size).to(device)
    """,
    good="""
        import torch


        def mask(size, device):
            return torch.zeros(size, size, device=device)
    """,
    proof="""
        from torch.utils._python_dispatch import TorchDispatchMode


        class NoCopies(TorchDispatchMode):
            def __torch_dispatch__(self, func, types, args=(), kwargs=None):
                assert "_to_copy" not in str(func), "made in one place, copied to another"
                return func(*args, **(kwargs or {}))


        with NoCopies():
            mask(3, torch.device("meta"))
    """,
    severity=Severity.NOTE,
    fix=Applicability.SAFE,
)

EXACT = frozenset(f"torch.{name}" for name in ("zeros", "ones", "empty", "full", "eye"))
ROUNDED = frozenset(f"torch.{name}" for name in ("arange", "linspace", "logspace"))
TAKEN = ("device", "pin_memory", "requires_grad", "out")
"""Arguments beside which device= would clash, or mean something else."""
_DEVICE = re.compile(r"(^|_)device$")


@rule.source(cst.Call, needs=(").to(", ").cuda("))
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    func = call.func
    if not isinstance(func, cst.Attribute) or func.attr.value not in ("to", "cuda"):
        return
    made, device = func.value, target(call, func.attr.value, source)
    name = source.name(made.func) if isinstance(made, cst.Call) else ""
    if not device or not isinstance(made, cst.Call) or name not in EXACT | ROUNDED:
        return
    words = [arg.keyword.value for arg in made.args if arg.keyword]
    if any(arg.star for arg in made.args) or any(word in TAKEN for word in words):
        return
    if source.enclosing(call, cst.Lambda) is not None:
        return  # torch.jit.trace(lambda: torch.ones([]).to(device)) reads the device off the graph
    if source.enclosing(call, cst.FunctionDef, cst.For, cst.While) is None:
        return  # done once in the run
    message = f"{name} fills memory of the host, which is then copied to the device"
    yield Hit(call, message, on_device(call, made, device, name in EXACT, source))


def target(call: cst.Call, method: str, source: Source) -> str:
    """The device that a tensor is moved to, as it would be written; "" where it is none."""
    if len(call.args) > 1 or any(arg.star for arg in call.args):
        return ""
    if not call.args:
        return '"cuda"' if method == "cuda" else ""
    arg = call.args[0]
    if arg.keyword is not None and arg.keyword.value != "device":
        return ""
    value = arg.value
    named = value.attr.value if isinstance(value, cst.Attribute) else ""
    named = value.value if isinstance(value, cst.Name) else named
    made = isinstance(value, cst.Call) and source.name(value.func) == "torch.device"
    text = isinstance(literal(value), str)
    return source.code(value) if method == "to" and (_DEVICE.search(named) or made or text) else ""


def on_device(call: cst.Call, made: cst.Call, device: str, exact: bool, source: Source) -> Fix:
    """device= in the call that makes the tensor, and the move taken away."""
    inside, outside = source.replace(made, ""), source.replace(call, "")
    edits = (source.insert_argument(made, f"device={device}"), Edit(inside.end, outside.end, ""))
    safe = Applicability.SAFE if exact else Applicability.UNSAFE
    return Fix("make it on the device", edits, safe)
