"""LT304: a GradScaler that scales nothing, or forgets its scale at every step."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.source import Source, literal

rule = Rule(
    __name__,
    code="LT304",
    summary="a GradScaler that does no good",
    why="""
        A GradScaler keeps small float16 gradients from becoming zero, and learns its scale from
        step to step. bfloat16 has the range of float32: there is nothing to scale, and the
        result is the same without. Made inside the loop, it starts again at 65536 each time: it
        never grows, and where that is too much for the gradients, no step is ever taken.
        Without a device GradScaler is one for CUDA: around CPU autocast it warns and switches
        itself off. Measured on torch 2.13.

        A disabled scaler no longer skips steps with inf or NaN gradients, which an enabled one
        does for bfloat16 too; so the fix is not applied by itself.
    """,
    bad="""
        import torch


        def train(model, batches, optimizer):
            scaler = torch.amp.GradScaler("cpu")
            for batch in batches:
                optimizer.zero_grad()
                with torch.autocast("cpu", dtype=torch.bfloat16):
                    loss = model(batch).square().mean()
                scaler.scale(loss).backward()
                scaler.step(optimizer)
                scaler.update()
            return scaler
    """,
    good="""
        import torch


        def train(model, batches, optimizer):
            scaler = torch.amp.GradScaler("cpu", enabled=False)
            for batch in batches:
                optimizer.zero_grad()
                with torch.autocast("cpu", dtype=torch.bfloat16):
                    loss = model(batch).square().mean()
                scaler.scale(loss).backward()
                scaler.step(optimizer)
                scaler.update()
            return scaler
    """,
    proof="""
        model = torch.nn.Linear(2, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        plain = torch.nn.Linear(2, 1)
        plain.load_state_dict(model.state_dict())
        scaler = train(model, [torch.ones(1, 2)], optimizer)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = plain(torch.ones(1, 2)).square().mean()
        loss.backward()
        same = torch.allclose(plain.weight - 0.1 * plain.weight.grad, model.weight)
        assert same and not scaler.is_enabled(), "it scaled, and changed nothing"
    """,
    severity=Severity.NOTE,
    fix=Applicability.UNSAFE,
)

_DEVICE = ("device", "init_scale", "growth_factor", "backoff_factor", "growth_interval", "enabled")
_SCALERS = {
    "torch.amp.GradScaler": _DEVICE,
    "torch.GradScaler": _DEVICE,
    "torch.cuda.amp.GradScaler": _DEVICE[1:],
}
_AUTOCASTS = {
    "torch.autocast": ("device_type", "dtype", "enabled"),
    "torch.amp.autocast": ("device_type", "dtype", "enabled"),
    "torch.cuda.amp.autocast": ("enabled", "dtype"),
    "torch.cpu.amp.autocast": ("enabled", "dtype"),
}
_OTHER_HALF = re.compile(r"(?<!b)float16|\bhalf\b|fp16")


@rule.source(cst.Call, needs=("GradScaler",))
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    names = _SCALERS.get(source.name(call.func))
    if names is None:
        return
    given = source.arguments(call, *names)
    if _in_step(call, source):
        message = "made anew at every step: the scale starts at 65536 again and never adapts"
        yield Hit(call, message, severity=Severity.WARNING)
    elif not given.complete or "enabled" in given.by_name:
        return
    elif _all_bfloat16(source):
        fix = Fix(
            "disable it", (source.insert_argument(call, "enabled=False"),), Applicability.UNSAFE
        )
        yield Hit(call, "scales for bfloat16, whose range needs no scaling", fix)
    elif given.get("device") is None and _all_on_cpu(source):
        yield Hit(call, "a scaler for CUDA around CPU autocast: it warns and switches itself off")


def _in_step(call: cst.Call, source: Source) -> bool:
    """Whether it is made in the very loop that scales losses with it, and the model is not."""
    loop = source.enclosing(call, cst.For, cst.While, cst.FunctionDef)
    outer = source.parent(call)
    if not isinstance(loop, (cst.For, cst.While)) or not isinstance(outer, cst.Assign):
        return False
    name = source.code(outer.targets[0].target)
    function = source.enclosing(call, cst.FunctionDef)
    users = [
        node
        for node in source.nodes(cst.Call)
        if source.code(node.func) in (f"{name}.scale", f"{name}.step")
        and source.enclosing(node, cst.FunctionDef) is function
    ]
    inside = [u for u in users if source.enclosing(u, cst.For, cst.While, cst.FunctionDef) is loop]
    made = [source.name(c.func) for c in source.loops.of(loop).calls]
    fresh = any(m.startswith("torch.optim.") and m.rpartition(".")[2][:1].isupper() for m in made)
    return bool(inside) and len(inside) == len(users) and not fresh


def _autocasts(source: Source) -> Iterator[tuple[cst.Call, tuple[str, ...]]]:
    for call in source.nodes(cst.Call):
        if names := _AUTOCASTS.get(source.name(call.func)):
            yield call, names


def _all_bfloat16(source: Source) -> bool:
    """Whether every autocast of the file is written with bfloat16, and no other half is in sight."""
    dtypes = [source.arguments(call, *names).get("dtype") for call, names in _autocasts(source)]
    written = [source.name(dtype) if dtype is not None else "" for dtype in dtypes]
    everywhere = bool(written) and all(name == "torch.bfloat16" for name in written)
    return everywhere and not _OTHER_HALF.search(source.text)


def _all_on_cpu(source: Source) -> bool:
    devices = [
        literal(source.arguments(call, *names).get("device_type"))
        for call, names in _autocasts(source)
    ]
    return bool(devices) and all(device == "cpu" for device in devices)
