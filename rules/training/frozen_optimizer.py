"""LT455: an optimizer of weights that were all frozen before."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT455",
    summary="an optimizer of weights that are all frozen",
    why="""
        A pretrained model is frozen by `requires_grad = False` on all its parameters, and its last layer
        replaced. In the other order the new layer is frozen too: backward() raises "element 0 of tensors does
        not require grad", or, where something else needs a gradient, nothing is trained and nobody says so.
        Measured on torch 2.13.

        Reported where one function freezes all weights of a model and hands them, or those of a part, to an
        optimizer, and neither wakes any nor replaces a part in between.
    """,
    bad="""
        import torch
        from torch import nn


        def prepare(model, classes):
            model.fc = nn.Linear(8, classes)
            for p in model.parameters():
                p.requires_grad = False
            return torch.optim.SGD(model.fc.parameters(), lr=0.1)
    """,
    good="""
        import torch
        from torch import nn


        def prepare(model, classes):
            for p in model.parameters():
                p.requires_grad = False
            model.fc = nn.Linear(8, classes)
            return torch.optim.SGD(model.fc.parameters(), lr=0.1)
    """,
    remedy="freeze first, and make the new layer after it",
    proof="""
        model = nn.Sequential()
        model.body = nn.Linear(4, 8)
        optimizer = prepare(model, 2)
        model(torch.ones(1, 4)).sum().backward()
        assert all(p.grad is not None for p in optimizer.param_groups[0]["params"])
    """,
    severity=Severity.ERROR,
)

FREEZES = re.compile(r"\w+\.(requires_grad\s*=\s*False|requires_grad_\(False\))")
WAKES = re.compile(
    r"requires_grad\s*=(?!\s*False)|requires_grad_\((?!False)|requires_grad\W+True|unfreeze"
)


KEEPS = frozenset(
    {
        "eval", "train", "to", "cuda", "cpu", "half", "float", "double", "parameters", "named_parameters",
        "modules", "named_modules", "children", "named_children", "state_dict", "load_state_dict",
        "zero_grad", "requires_grad_", "compile", "reset_parameters", "size", "register_forward_hook",
    }
)  # fmt: skip
"""Methods after which a model has the weights that it had, as frozen as they were."""


@dataclass(frozen=True)
class Frozen:
    """A model all of whose weights are frozen, by the code that names it, and where."""

    model: str
    where: cst.CSTNode


@rule.source(cst.Call, needs=("requires_grad", "optim"))
def in_source(made: cst.Call, source: Source) -> Iterator[Hit]:
    """Of one function at a time, from its first statement to its last."""
    if not source.name(made.func).startswith("torch.optim.") or not made.args:
        return
    given = re.fullmatch(r"([\w.]+)\.parameters\(\)", source.code(made.args[0].value))
    function = source.enclosing(made, cst.FunctionDef)
    if given is None or (function is not None and WAKES.search(source.code(function))):
        return
    for frozen in list_frozen(function, source):
        whole = given[1] == frozen.model or given[1].startswith(f"{frozen.model}.")
        if whole and source.precedes(frozen.where, made):
            if not is_changed(frozen, made, source):
                row = source.place(frozen.where).row
                said = f"line {row} froze all weights of {frozen.model}, those of the optimizer too"
                yield Hit(made, said)
            return


def list_frozen(function: cst.FunctionDef | None, source: Source) -> Iterator[Frozen]:
    """`for p in model.parameters(): p.requires_grad = False`, `model.requires_grad_(False)`."""
    for loop in source.nodes(cst.For):
        given = re.fullmatch(r"([\w.]+)\.parameters\(\)", source.code(loop.iter))
        body = source.code(loop.body).strip()
        if given and FREEZES.fullmatch(body) and is_plain(loop, function, source):
            yield Frozen(given[1], loop)
    for call in source.nodes(cst.Call):
        given = re.fullmatch(r"([\w.]+)\.requires_grad_\(False\)", source.code(call))
        if given and is_plain(call, function, source):
            yield Frozen(given[1], call)


def is_plain(node: cst.CSTNode, function: cst.FunctionDef | None, source: Source) -> bool:
    """Whether it stands in the body of the function itself, behind no condition."""
    kinds = (cst.FunctionDef, cst.ClassDef, cst.If, cst.For, cst.While, cst.Try, cst.Lambda)
    return source.enclosing(node, *kinds) is function


def is_changed(frozen: Frozen, made: cst.Call, source: Source) -> bool:
    """Whether the model, or a part of it, is another one since."""
    start = re.compile(rf"{re.escape(frozen.model)}(\.[\w.]+|\[.*\])?")
    for target in source.nodes(cst.AssignTarget):
        after = source.precedes(frozen.where, target) and source.precedes(target, made)
        if after and start.fullmatch(source.code(target.target)):
            return True
    return any(
        source.precedes(frozen.where, call)
        and source.precedes(call, made)
        and may_change(call, frozen.model, source)
        for call in source.nodes(cst.Call)
    )


def may_change(call: cst.Call, model: str, source: Source) -> bool:
    """Whether a call is given the model or a part of it, or is a method of it, that adds or wakes weights."""
    part = re.compile(rf"{re.escape(model)}(\.\w+|\[[^]]*\])*")
    if isinstance(call.func, cst.Attribute) and part.fullmatch(source.code(call.func.value)):
        return call.func.attr.value not in KEEPS
    given = any(part.fullmatch(source.code(arg.value)) for arg in call.args)
    return given and not source.name(call.func).startswith(("torch.", "print", "copy.", "len"))
