"""LT418: a parameter changed in place where gradients are recorded."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import AttributeSet, Called, Combined, ItemSet
from lintorch.evaluator.unknown_objects import UnknownCalled
from lintorch.evaluator.values import TRUE, Tensor
from lintorch.facts.models.gradient_modes import may_be_free
from lintorch.facts.models.tensor_writes import find_written, is_write_method, name_changed
from lintorch.source import Source

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
        helpers and methods that come later are often called under no_grad.
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
)


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
    message = f"changes {text} in place, which needs a gradient: raises outside torch.no_grad()"
    yield Hit(event, message)


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
    return any(
        (isinstance(each, AttributeSet) and each.attribute == "requires_grad")
        or (isinstance(each, Called) and each.name.endswith(".requires_grad_"))
        or (isinstance(each, UnknownCalled) and each.method == "requires_grad_")
        for each in source.evaluation.list_before(event)
    )


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
        text = source.code(place)
        message = f"changes {text} in place, which needs a gradient: raises outside torch.no_grad()"
        yield Hit(call, message)


def is_parameter(made: cst.Call, source: Source) -> bool:
    return source.name(made.func) == "torch.nn.Parameter" and len(made.args) == 1
