"""LT304: a GradScaler that scales nothing, or forgets its scale at every step."""

from __future__ import annotations

from collections.abc import Iterator

from lintorch.core.finding import Applicability, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import name_given
from lintorch.evaluator.values import Constant, External, Held
from lintorch.facts.training.part_values import role_of_class
from lintorch.source import Act, Role, Source

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

_SCALERS = ("torch.amp.GradScaler", "torch.GradScaler", "torch.cuda.amp.GradScaler")
_AUTOCASTS = (
    "torch.autocast",
    "torch.amp.autocast",
    "torch.cuda.amp.autocast",
    "torch.cpu.amp.autocast",
)
_OTHER_HALF = frozenset({"float16", "half", "fp16"})
_USES = (Act.SCALE, Act.SCALER_STEP)


@rule.event(*_SCALERS)
def in_calls(event: Called, source: Source) -> Iterator[Hit]:
    given, call = name_given(event), source.call_at(event)
    if _is_made_in_step(event, source):
        message = "made anew at every step: the scale starts at 65536 again and never adapts"
        remedy = "make it once, before the loop"
        yield Hit(event, message, severity=Severity.WARNING, remedy=remedy)
    elif event.open or "enabled" in given:
        return
    elif _is_all_bfloat16(source):
        fix = None
        if call is not None:
            edit = source.insert_argument(call, "enabled=False")
            fix = Fix("disable it", (edit,), Applicability.UNSAFE)
        message = "scales for bfloat16, whose range needs no scaling"
        yield Hit(event, message, fix, remedy="give enabled=False")
    elif "device" not in given and _is_all_on_cpu(source):
        message = "a scaler for CUDA around CPU autocast: it warns and switches itself off"
        yield Hit(event, message, remedy='write torch.amp.GradScaler("cpu")')


def _is_made_in_step(event: Called, source: Source) -> bool:
    """Whether it is made in the very loop that scales losses with it, and the model is not."""
    made = event.result
    if not isinstance(made, Held):
        return False
    for region in source.evaluation.training.regions:
        inside = region.is_loop and made.address in region.made
        if not inside or any(role_of_class(name) is Role.OPTIMIZER for name in region.makes):
            continue
        uses = [e for e in region.list_acts(*_USES) if e.by and e.by.key == f"#{made.address}"]
        if uses and not any(each.at.spot in region.repeated for each in uses):
            return True
    return False


def _list_autocasts(source: Source) -> list[Called]:
    found = source.evaluation.list_events(_AUTOCASTS)
    return [event for _, event in found if isinstance(event, Called)]


def _is_all_bfloat16(source: Source) -> bool:
    """Whether every autocast of the file is made with bfloat16, and no other half is in sight."""
    dtypes = [name_given(each).get("dtype") for each in _list_autocasts(source)]
    everywhere = bool(dtypes) and all(each == External("torch.bfloat16") for each in dtypes)
    return everywhere and not _OTHER_HALF & source.evaluation.words


def _is_all_on_cpu(source: Source) -> bool:
    devices = [name_given(each).get("device_type") for each in _list_autocasts(source)]
    return bool(devices) and all(each == Constant("cpu") for each in devices)
