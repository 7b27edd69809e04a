"""LT305: an autocast region that raises: without a device type, or with a wrong argument."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix, Hit
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import name_given
from lintorch.evaluator.values import Constant, Number, Unknown
from lintorch.source import Arguments, Source

rule = Rule(
    __name__,
    code="LT305",
    summary="an autocast region with a wrong argument",
    why="""
        torch.autocast needs the type of the device first, as text: without one it raises
        TypeError, with a torch.device ValueError, with a name such as "gpu" RuntimeError. Its
        second argument is a dtype, not `enabled`, and `enable=` is no argument at all. As a
        decorator it needs brackets: `@torch.autocast` takes the function for the device. What
        moved over from torch.cuda.amp.autocast, which knew its device, often fails so; and a
        branch that only runs with a GPU fails on the first machine that has one. Measured on
        torch 2.13.

        Calling backward() inside the region is not reported: gradients are the same.
    """,
    bad="""
        import torch


        def forward(model, batch, mixed):
            with torch.autocast("cpu", enable=mixed):
                return model(batch)
    """,
    good="""
        import torch


        def forward(model, batch, mixed):
            with torch.autocast("cpu", enabled=mixed):
                return model(batch)
    """,
    proof="""
        forward(torch.nn.Linear(1, 1), torch.ones(1, 1), True)
    """,
    fix=Applicability.SAFE,
)

_BY_TYPE = ("device_type", "dtype", "enabled", "cache_enabled")
_OF_CUDA = ("enabled", "dtype", "cache_enabled")
_SIGNATURES = {
    "torch.autocast": _BY_TYPE,
    "torch.amp.autocast": _BY_TYPE,
    "torch.cuda.amp.autocast": _OF_CUDA,
    "torch.cpu.amp.autocast": _OF_CUDA,
}
_DEVICES = frozenset(
    {
        "cpu", "cuda", "ipu", "xpu", "mkldnn", "opengl", "opencl", "ideep", "hip", "ve", "fpga",
        "maia", "xla", "lazy", "vulkan", "mps", "meta", "hpu", "mtia", "privateuseone", "npu",
    }
)  # fmt: skip
_USUAL = '"cuda"'


@rule.event(*_SIGNATURES)
def in_calls(event: Called, source: Source) -> Iterator[Hit]:
    names = _SIGNATURES[event.name]
    call = source.call_at(event)
    given = source.arguments(call, *names) if call is not None else None
    wrong = [name for name in event.keyword if name not in names]
    if "enable" in wrong:
        fix = _renamed(given, source) if given and "enable" in given.by_name else None
        yield Hit(event, "autocast has no argument enable: TypeError", fix, remedy="write enabled=")
    elif wrong:
        yield Hit(event, f"autocast has no argument {wrong[0]}: TypeError", remedy="leave it out")
    elif names is _BY_TYPE:
        yield from _device(event, call, source)


@rule.source(cst.Decorator, needs=("autocast",))
def in_decorators(node: cst.Decorator, source: Source) -> Iterator[Hit]:
    if source.name(node.decorator) in _SIGNATURES:
        yield Hit(
            node.decorator,
            "autocast without parentheses takes the function for its argument",
            remedy='write @torch.autocast("cuda")',
        )


def _device(event: Called, call: cst.Call | None, source: Source) -> Iterator[Hit]:
    given = name_given(event)
    device, dtype = given.get("device_type"), given.get("dtype")
    name = device.value if isinstance(device, Constant) else None
    if device is None:
        if not event.open:
            fix = _with_device(call, source) if call is not None else None
            yield Hit(
                event,
                "autocast without a device type: TypeError",
                fix,
                remedy='write torch.autocast("cuda")',
            )
    elif isinstance(name, str) and name.partition(":")[0] not in _DEVICES:
        yield Hit(
            event, f"{name!r} is no device type: RuntimeError", remedy='write "cuda" or "cpu"'
        )
    elif isinstance(name, bool) or (isinstance(device, Number) and device.truth):
        message = "the first argument of autocast is the device type, not a flag: ValueError"
        yield Hit(event, message, remedy='write torch.autocast("cuda", enabled=...)')
    elif isinstance(device, Unknown) and device.path == "torch.device()":
        message = "the device type is asked for as text, not as a torch.device: ValueError"
        written = source.arguments(call, *_BY_TYPE).get("device_type") if call else None
        yield Hit(event, message, _by_type(written, source), remedy="write device.type")
    elif isinstance(dtype, Constant) and isinstance(dtype.value, bool):
        yield Hit(
            event,
            "the second argument of autocast is the dtype, not enabled: TypeError",
            remedy="write enabled=",
        )


# fixes


def _renamed(given: Arguments, source: Source) -> Fix | None:
    keyword = given.by_name["enable"].keyword
    if keyword is None or "enabled" in given.by_name:
        return None
    return Fix("write enabled", (source.replace(keyword, "enabled"),), Applicability.SAFE)


def _with_device(call: cst.Call, source: Source) -> Fix | None:
    """Named first; that it is CUDA is a guess."""
    message = f"name {_USUAL} as the device type"
    if not call.args:
        return Fix(message, (source.insert_argument(call, _USUAL),), Applicability.UNSAFE)
    if call.args[0].keyword is None:
        return None
    start = source.replace(call.args[0].keyword, "").start
    return Fix(message, (Edit(start, start, f"{_USUAL}, "),), Applicability.UNSAFE)


def _by_type(device: cst.BaseExpression | None, source: Source) -> Fix | None:
    if not isinstance(device, (cst.Name, cst.Attribute, cst.Call)):
        return None
    end = source.replace(device, "").end
    return Fix("pass its type", (Edit(end, end, ".type"),), Applicability.SAFE)
