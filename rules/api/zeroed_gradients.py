"""LT610: gradients that are filled with zeros where they could go."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.source import Source, literal

rule = Rule(
    __name__,
    code="LT610",
    summary="zero_grad(set_to_none=False)",
    why="""
        Up to torch 1.13 zero_grad filled gradients with zeros, which takes a pass over memory
        and keeps them allocated while the next forward runs. Since 2.0 they become None by
        default, which `set_to_none=False` undoes. With None an optimizer leaves parameters out
        that got no gradient; with zeros momentum and weight decay go on moving them.
    """,
    bad="""
        def step(model, optimizer, batch):
            optimizer.zero_grad(set_to_none=False)
            model(batch).sum().backward()
            optimizer.step()
    """,
    good="""
        def step(model, optimizer, batch):
            optimizer.zero_grad(set_to_none=True)
            model(batch).sum().backward()
            optimizer.step()
    """,
    proof="""
        model, idle = torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)
        parameters = [*model.parameters(), *idle.parameters()]
        idle(torch.ones(1, 2)).sum().backward()
        step(model, torch.optim.SGD(parameters, lr=0.1), torch.ones(1, 2))
        assert all(p.grad is None for p in idle.parameters()), "gradients stay allocated"
    """,
    severity=Severity.NOTE,
    fix=Applicability.UNSAFE,
)


@rule.source(cst.Call, needs=("set_to_none",))
def in_call(call: cst.Call, source: Source) -> Iterator[Hit]:
    if not isinstance(call.func, cst.Attribute) or call.func.attr.value != "zero_grad":
        return
    asked = next((a for a in call.args if a.keyword and a.keyword.value == "set_to_none"), None)
    if asked is not None and literal(asked.value) is False:
        edit = source.replace(asked.value, "True")
        message = "keeps gradients allocated and fills them with zeros: set_to_none=True, the default since torch 2.0, frees them"
        yield Hit(call, message, Fix("let them go", (edit,), Applicability.UNSAFE))
