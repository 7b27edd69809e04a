"""LT459: gradients that are read after they were cleared."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT459",
    summary="a gradient read after zero_grad()",
    why="""
        Since torch 2.0 zero_grad() leaves no zeros but None: `p.grad.norm()` behind it raises AttributeError, and
        before that release it measured zeros. What is to be logged of gradients is read between backward()
        and zero_grad(). Measured on torch 2.13.

        Reported of parameters, where one optimizer or model is cleared in the function.
    """,
    bad="""
        import torch


        def train(model, batches, optimizer):
            for batch in batches:
                loss = model(batch).square().mean()
                loss.backward()
                optimizer.step()
                optimizer.zero_grad()
                print(sum(p.grad.norm() for p in model.parameters()))
    """,
    good="""
        import torch


        def train(model, batches, optimizer):
            for batch in batches:
                loss = model(batch).square().mean()
                loss.backward()
                print(sum(p.grad.norm() for p in model.parameters()))
                optimizer.step()
                optimizer.zero_grad()
    """,
    remedy="read gradients ahead of zero_grad()",
    proof="""
        model = torch.nn.Linear(1, 1)
        train(model, [torch.ones(1)], torch.optim.SGD(model.parameters(), lr=0.1))
    """,
    severity=Severity.ERROR,
)

_NONE_SINCE = (2, 0)
HARMLESS = frozenset(
    {
        "print", "step", "item", "append", "format", "add_scalar", "log", "info", "debug", "norm", "sum",
        "float", "len", "str", "parameters", "named_parameters", "detach", "cpu", "abs", "mean", "max",
        "clone", "numpy", "set_postfix", "set_description", "update", "zero_grad", "sqrt", "enumerate",
    }
)  # fmt: skip
"""Calls that run no backward pass."""
GRADIENT = re.compile(r"\.grad\b")
OF_PARAMETER = re.compile(r"\.(weight|bias)\.grad$")


@rule.source(cst.Call, needs=("zero_grad",))
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    func = call.func
    cleared = isinstance(func, cst.Attribute) and func.attr.value == "zero_grad"
    if not cleared or call.args or source.profile.torch < _NONE_SINCE:
        return
    if not GRADIENT.search(source.text) or not is_only(call, source):
        return
    for statement in list_below(call, source):
        read = next(list_read(statement, source), None)
        if read is not None:
            text = source.code(read)
            yield Hit(read, f"{text} is None behind zero_grad(): AttributeError or TypeError")
            return
        if may_run_backward(statement, source):
            return


def is_only(call: cst.Call, source: Source) -> bool:
    """Whether nothing else is cleared in its function, whose gradients would be there still."""
    function = source.enclosing(call, cst.FunctionDef)
    cleared = {
        source.code(each.func)
        for each in source.nodes(cst.Call)
        if isinstance(each.func, cst.Attribute) and each.func.attr.value == "zero_grad"
        if source.enclosing(each, cst.FunctionDef) is function
    }
    return len(cleared) == 1


def list_below(call: cst.Call, source: Source) -> list[cst.CSTNode]:
    """The statements below a call that is one, in the same block."""
    line = source.enclosing(call, cst.SimpleStatementLine)
    block = source.parent(line) if line is not None else None
    body = list(getattr(block, "body", ()))
    alone = line is not None and source.code(line).strip().startswith(source.code(call))
    return body[body.index(line) + 1 :] if alone and line in body else []


def list_read(statement: cst.CSTNode, source: Source) -> Iterator[cst.Attribute]:
    """`p.grad` of parameters, of which something is asked that None has not."""
    for node in source.nodes(cst.Attribute):
        if node.attr.value != "grad" or not source.is_within(node, statement):
            continue
        outer = source.parent(node)
        call = source.parent(outer) if isinstance(outer, cst.Arg) else None
        handed = isinstance(call, cst.Call) and source.name(call.func).startswith("torch.")
        used = handed or isinstance(outer, (cst.Attribute, cst.BinaryOperation))
        if used and is_of_parameter(node, source) and not is_guarded(node, statement, source):
            yield node


def is_of_parameter(read: cst.Attribute, source: Source) -> bool:
    """`net.fc.weight.grad`, and `p.grad` of a loop over parameters()."""
    if OF_PARAMETER.search(source.code(read)):
        return True
    for outer in source.ancestors(read):
        over = outer.iter if isinstance(outer, (cst.For, cst.CompFor)) else None
        if isinstance(outer, (cst.GeneratorExp, cst.ListComp)):
            over = outer.for_in.iter
        if over is not None and re.search(r"\.(named_)?parameters\(\)\)?$", source.code(over)):
            return True
        if isinstance(outer, cst.FunctionDef):
            return False
    return False


def is_guarded(read: cst.Attribute, statement: cst.CSTNode, source: Source) -> bool:
    """Whether the statement asks whether there is one, or is ready for none."""
    text = source.code(read)
    whole = source.code(statement)
    return f"{text} is" in whole or f"if {text}" in whole or "try:" in whole or "hasattr" in whole


def may_run_backward(statement: cst.CSTNode, source: Source) -> bool:
    """Whether a statement calls what is not known to leave gradients alone."""
    for call in source.nodes(cst.Call):
        if source.is_within(call, statement):
            func = call.func
            name = func.attr if isinstance(func, cst.Attribute) else func
            if not isinstance(name, cst.Name) or name.value not in HARMLESS:
                return True
    return False
