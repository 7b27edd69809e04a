"""LT418: a parameter changed in place where gradients are recorded."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import AttributeSet, Called, Combined, ItemSet, Occurrence
from lintorch.evaluator.run_model import Reached
from lintorch.evaluator.unknown_objects import UnknownCalled
from lintorch.evaluator.values import TRUE, Tensor, Unknown, Value, find_unproven
from lintorch.facts.models.backward_passes import is_backward_pass
from lintorch.facts.models.gradient_graphs import GradientGraphs
from lintorch.facts.models.gradient_modes import may_be_free
from lintorch.facts.models.operation_steps import name_operation
from lintorch.facts.models.tensor_writes import find_written, is_write_method, name_changed
from lintorch.source import Source, Training

rule = Rule(
    __name__,
    code="LT418",
    summary="a parameter changed in place outside no_grad",
    why="""
        A leaf that needs a gradient cannot be changed in place while gradients are recorded:
        `self.fc.weight.normal_()` raises at once, and so do `weight[0] = 1` and `weight += 1`.
        Measured on torch 2.13. Under `torch.no_grad()` it is allowed; the functions of
        `torch.nn.init` take care of that themselves.

        Reported where the tensor is made, in the same function or on the way from `__init__`:
        helpers and methods that come later are often called under no_grad. Also what a loop takes
        out of `parameters()` (`p.clamp_(-1, 1)` for a critic, `p.mul_(0.99)` for an average), in
        code that runs backward() too and freezes nothing.
    """,
    bad="""
        import torch
        from torch import nn


        class Scale(nn.Module):
            def __init__(self):
                super().__init__()
                self.scale = nn.Parameter(torch.zeros(4))
                self.scale.fill_(1)
    """,
    good="""
        import torch
        from torch import nn


        class Scale(nn.Module):
            def __init__(self):
                super().__init__()
                self.scale = nn.Parameter(torch.zeros(4))
                nn.init.constant_(self.scale, 1)
    """,
    proof="""
        assert Scale().scale.sum() == 4
    """,
    severity=Severity.ERROR,
    formerly=("LT402", "inplace-on-saved"),
    remedy="put it under torch.no_grad()",
)

_PARAMETER = re.compile(r"\.parameters\(\)\[\]$|\.named_parameters\(\)\[\]\[1\]$")

CAUSE = "leaf"
"""Of all leaves that one function changes: one `with torch.no_grad():` mends them."""


@rule.event(Called, ItemSet, Combined)
def in_leaves(event: Called | ItemSet | Combined, source: Source) -> Iterator[Hit]:
    """`self.fc.weight.normal_()` and `w += 1`."""
    written = find_written(event)
    if isinstance(event, Called) and event.name.startswith("torch.nn.init."):
        return
    if written is None or written.aside or not is_own(written, event, source):
        return
    if is_set_free(event, source) or may_be_free(event, source.evaluation):
        return
    text = name_changed(event)
    yield tell_changed(event, text if text[:1].isidentifier() else "a Parameter")


def tell_changed(node: object, text: str) -> Hit:
    message = f"changes {text} in place, which needs a gradient: it raises"
    return Hit(node, message, cause=CAUSE)


def is_own(written: Tensor, event: Called | ItemSet | Combined, source: Source) -> bool:
    """Whether it is a leaf that is made on this way."""
    made = source.evaluation.ways.find_maker(written)
    names = event.way.names
    begun = len(names) < 2 or any(name.endswith("__init__") for name in names)
    if made is None:
        return written.origin == "parameter" and begun and written.name in ("weight", "bias")
    if not isinstance(made, Called) or made.open:
        return False
    told = made.keyword.get("requires_grad", made.arguments.get("requires_grad"))
    if made.name == "torch.nn.Parameter":
        return told in (None, TRUE) and (begun or made.way.names == names)
    creates = made.name.startswith("torch.") and made.name.count(".") == 1
    return creates and told == TRUE and made.way.names == names


def is_set_free(event: Called | ItemSet | Combined, source: Source) -> bool:
    """Whether anything says before that something needs no gradient."""
    return any(map(frees, source.evaluation.list_before(event)))


@rule.event(Training)
def in_training(training: Training, source: Source) -> Iterator[Hit]:
    """`for p in model.parameters(): p.clamp_(-0.01, 0.01)`."""
    for reached in source.evaluation.reached:
        if not reached.ordered or not reached.events:
            continue
        graphs = source.evaluation.graphs.get(reached.events[0].way.root)
        if graphs is not None and any(
            is_backward_pass(e) and not graphs.is_quiet(e) for e in reached.events
        ):
            yield from list_drawn(reached, graphs, source)


def list_drawn(reached: Reached, graphs: GradientGraphs, source: Source) -> Iterator[Hit]:
    """The changes of what a loop takes out of parameters()."""
    frozen = any(map(frees, reached.events))
    for event in () if frozen else reached.events:
        held = find_drawn(event)
        held = None if held is None else find_unproven(held)
        drawn = isinstance(held, Unknown) and _PARAMETER.search(held.path)
        if (drawn or is_made_leaf(held, source)) and not graphs.is_quiet(event):
            yield tell_changed(event, name_changed(event))


def is_made_leaf(value: Value | None, source: Source) -> bool:
    """Whether it is made with requires_grad=True, by no operation; `.data` of it needs none."""
    arms = (value, *value.arms) if isinstance(value, Tensor) and not value.aside else ()
    makers = (source.evaluation.ways.find_maker(each) for each in arms)
    return any(
        isinstance(made, Called)
        and made.keyword.get("requires_grad") == TRUE
        and name_operation(made) not in ("Parameter", "to")
        for made in makers
    )


def frees(event: Occurrence) -> bool:
    """Whether it says of something that it needs no gradient."""
    if isinstance(event, AttributeSet):
        return event.attribute == "requires_grad"
    called = event.name if isinstance(event, Called) else ""
    method = event.method if isinstance(event, UnknownCalled) else called.rpartition(".")[2]
    return method in ("requires_grad_", "detach_")


def find_drawn(event: Occurrence) -> Value | None:
    """What `p.clamp_()` and `p -= 1` change."""
    if isinstance(event, UnknownCalled):
        return event.held if is_write_method(event.method) else None
    if isinstance(event, Called) and event.name.startswith("torch.Tensor.") and event.positional:
        return event.positional[0] if is_write_method(event.name.rpartition(".")[2]) else None
    return event.left if isinstance(event, Combined) and event.inplace else None


@rule.source(cst.Call)
def in_settings(call: cst.Call, source: Source) -> Iterator[Hit]:
    """`self.scale.uniform_()` in `__init__`, behind a setting that is off where nobody gives it."""
    place = call.func.value if isinstance(call.func, cst.Attribute) else None
    function = source.enclosing(call, cst.FunctionDef, cst.Lambda)
    begun = isinstance(function, cst.FunctionDef) and function.name.value == "__init__"
    if (
        not begun
        or not isinstance(call.func, cst.Attribute)
        or not isinstance(place, cst.Attribute)
    ):
        return
    made = source.built(place) if is_write_method(call.func.attr.value) else ()
    if not made or not all(is_parameter(each, source) for each in made):
        return
    managers = [each for each in source.ancestors(call) if isinstance(each, cst.With)]
    if not managers and not source.evaluation.is_reached(source.place(call)):
        yield tell_changed(call, source.code(place))


def is_parameter(made: cst.Call, source: Source) -> bool:
    return source.name(made.func) == "torch.nn.Parameter" and len(made.args) == 1
