"""LT420: a write to what detach() gave, which changes the tensor it was taken from."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Combined, Indexed, ItemSet, Occurrence
from lintorch.evaluator.unknown_objects import UnknownCalled
from lintorch.evaluator.values import Tensor, Value
from lintorch.facts.models.gradient_modes import may_be_free
from lintorch.facts.models.one_way import may_follow
from lintorch.facts.models.operation_steps import find_operand, name_operation
from lintorch.facts.models.tensor_writes import find_changed, gives_view, list_views
from lintorch.facts.models.value_ways import is_one
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT420",
    summary="a write to a detached tensor changes the original",
    why="""
        `x.detach()` leaves the history behind and shares the memory: a write to it changes x too.
        What is computed with x later uses the changed numbers, and gradients of what was computed
        before are silently wrong or backward raises. Measured on torch 2.13.

        `x.detach().clone()` is a copy. Reported only where x is used again after the write.
    """,
    bad="""
        import torch


        def clipped(out):
            kept = out.detach()
            kept[kept < 0] = 0
            return out.sum() - kept.sum()
    """,
    good="""
        import torch


        def clipped(out):
            kept = out.detach().clone()
            kept[kept < 0] = 0
            return out.sum() - kept.sum()
    """,
    proof="""
        assert clipped(torch.tensor([-1.0, 1.0])) == -1
    """,
    severity=Severity.ERROR,
    fix=Applicability.UNSAFE,
    formerly=("LT402", "inplace-on-saved"),
)

LOOKS = frozenset({"size", "dim", "numel", "item", "device", "dtype", "shape", "requires_grad"})
"""What asks a tensor for no numbers, or is no computation."""


@rule.event(Called, UnknownCalled, ItemSet, Combined)
def in_writes(event: Occurrence, source: Source) -> Iterator[Hit]:
    written = find_changed(event)
    made = find_detach(written, source) if written is not None else None
    if made is None or is_meant(event) or is_temporary(made):
        return
    origin = find_operand(made)
    if origin is None or may_be_free(event, source.evaluation):
        return
    weight = isinstance(origin, Tensor) and origin.origin in ("parameter", "buffer")
    if weight or not is_used_again(origin, event, source):
        return
    text = source.evaluation.text(made.spot).partition(".detach(")[0]
    message = f"changes {text} too: detach() shares its memory, clone() what is changed"
    yield Hit(event, message, work_on_copy(made, source), cause=f"in line {event.spot.row}")


def is_meant(event: Occurrence) -> bool:
    """`x.detach().mul_(rate)`: who writes it in one go means x."""
    return any(getattr(each, "attr", "") == "detach" for each in ast.walk(event.node))


def find_detach(written: Value, source: Source) -> Called | UnknownCalled | None:
    """The call of detach that gave what is written to."""
    for made in list_views(written, source.evaluation.ways) or ():
        if isinstance(made, (Called, UnknownCalled)) and name_operation(made) == "detach":
            return made
    return None


def is_temporary(made: Called | UnknownCalled) -> bool:
    """`worked_out(x).detach()`, of which nobody has the tensor that it was called on."""
    call = getattr(getattr(made.node, "func", None), "value", None)
    callee = call.func if isinstance(call, ast.Call) else None
    return callee is not None and not gives_view(str(getattr(callee, "attr", "")))


def is_used_again(origin: Value, event: Occurrence, source: Source) -> bool:
    """Whether anything is computed with a tensor after a write."""
    later = source.evaluation.list_after(event)
    return any(
        isinstance(each, (Called, Combined, Indexed, UnknownCalled))
        and name_operation(each) not in LOOKS
        and any(is_one(value, origin) for value in list_read(each))
        and may_follow(event, each, source.evaluation)
        for each in later
    )


def list_read(event: Called | Combined | Indexed | UnknownCalled) -> tuple[Value | None, ...]:
    """What an operation computes with; what a call that is not known is given is not among it."""
    if isinstance(event, Combined):
        return event.left, event.right
    if isinstance(event, Called) and not event.name.startswith("torch."):
        return ()
    return (find_operand(event),)


def work_on_copy(made: Called | UnknownCalled, source: Source) -> Fix | None:
    call = source.node_at(made, cst.Call)
    if call is None:
        return None
    edit = source.replace(call, f"{source.code(call)}.clone()")
    return Fix("work on a copy", (edit,), Applicability.UNSAFE)
