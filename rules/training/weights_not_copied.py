"""LT448: weights that are no copy of those they are kept beside."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT448",
    summary="weights that are no copy of those they are kept beside",
    why="""
        `self.target = self.online` gives one network a second name: the target moves with every step, and
        load_state_dict() copies it onto itself. `shadow[name] = p.data` holds the weight itself:
        what mul_() and add_() do to the average, they do to the model. Measured on torch 2.13.
    """,
    bad="""
        import torch
        from torch import nn


        class Average:
            def __init__(self, model):
                self.shadow = {}
                for name, p in model.named_parameters():
                    self.shadow[name] = p.data

            def update(self, model):
                for name, p in model.named_parameters():
                    self.shadow[name].mul_(0.9).add_(p.data, alpha=0.1)
    """,
    good="""
        import torch
        from torch import nn


        class Average:
            def __init__(self, model):
                self.shadow = {}
                for name, p in model.named_parameters():
                    self.shadow[name] = p.data.clone()

            def update(self, model):
                for name, p in model.named_parameters():
                    self.shadow[name].mul_(0.9).add_(p.data, alpha=0.1)
    """,
    remedy="copy them: write .clone(), or copy.deepcopy(model)",
    proof="""
        model = nn.Linear(1, 1)
        average = Average(model)
        with torch.no_grad():
            model.weight.add_(1)
        moved = model.weight.clone()
        average.update(model)
        assert torch.equal(moved, model.weight)
        assert not torch.equal(average.shadow["weight"], model.weight)
    """,
    severity=Severity.WARNING,
)

LISTING = ("named_parameters", "parameters", "state_dict")


@rule.source(cst.Assign, needs=("load_state_dict",))
def in_names(node: cst.Assign, source: Source) -> Iterator[Hit]:
    """`self.target = self.online`, and a load of the one into the other."""
    target, value = node.targets[0].target, node.value
    plain = isinstance(target, (cst.Name, cst.Attribute))
    if len(node.targets) != 1 or not plain or not isinstance(value, (cst.Name, cst.Attribute)):
        return
    left, right = source.code(target), source.code(value)
    if f"{left}.load_state_dict({right}.state_dict()" not in source.text or left == right:
        return
    scope = find_scope(node, source)
    written = [
        source.code(each.targets[0].target)
        for each in source.nodes(cst.Assign)
        if find_scope(each, source) is scope
    ]
    loads = any(
        source.code(each).startswith(f"{left}.load_state_dict({right}.state_dict()")
        for each in source.nodes(cst.Call)
        if find_scope(each, source) is scope
    )
    if loads and written.count(left) == 1 and written.count(right) <= 1:
        yield Hit(node, f"makes {left} another name of {right}, whose weights it is to keep")


def find_scope(node: cst.CSTNode, source: Source) -> cst.CSTNode | None:
    """The class, else the function, around something."""
    return source.enclosing(node, cst.ClassDef) or source.enclosing(node, cst.FunctionDef)


@rule.source(cst.Assign, needs=LISTING)
def in_shadows(node: cst.Assign, source: Source) -> Iterator[Hit]:
    """`shadow[name] = p.data`, and what is changed in place in it."""
    target = node.targets[0].target
    loop = source.enclosing(node, cst.For)
    if (
        not isinstance(target, cst.Subscript)
        or loop is None
        or not is_weight(node.value, loop, source)
    ):
        return
    held = source.code(target.value)
    owner = find_scope(node, source)
    for call in source.nodes(cst.Call):
        func = call.func
        place = func.value if isinstance(func, cst.Attribute) else None
        word = func.attr.value if isinstance(func, cst.Attribute) else ""
        inside = isinstance(place, cst.Subscript) and source.code(place.value) == held
        mine = inside and find_scope(call, source) is owner
        if mine and word.endswith("_") and not word.endswith("__"):
            yield Hit(node, f"{held} holds the weights themselves, and {word}() changes them")
            return


def is_weight(value: cst.BaseExpression, loop: cst.For, source: Source) -> bool:
    """`p`, `p.data` or `p.detach()` of a loop over the weights of a model."""
    if not any(f".{name}()" in source.code(loop.iter) for name in LISTING):
        return False
    if isinstance(value, cst.Call) and not value.args:
        func = value.func
        detached = isinstance(func, cst.Attribute) and func.attr.value == "detach"
        value = func.value if detached and isinstance(func, cst.Attribute) else value
    elif isinstance(value, cst.Attribute) and value.attr.value == "data":
        value = value.value
    names = source.code(loop.target).replace("(", "").replace(")", "").split(",")
    return isinstance(value, cst.Name) and value.value == names[-1].strip()
