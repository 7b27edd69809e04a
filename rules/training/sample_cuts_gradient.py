"""LT443: a sample through which no gradient flows."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.facts.models.gradient_flow import GradientFlow
from lintorch.facts.models.gradient_modes import may_be_free
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT443",
    summary="a sample, or a rounded value, through which no gradient flows",
    why="""
        sample() of a distribution draws under no_grad(): what a model makes of the sample trains neither
        the mean nor the spread that it was drawn with. rsample() draws noise and scales it, and hands the
        gradient on. Measured on torch 2.13. Not reported where a file asks for log_prob(), as
        policy gradients do, which need no gradient through the sample. The gradient of round, floor, ceil and
        sign is 0 everywhere: in a forward that is trained, nothing trains what they are given, unless the
        gradient is handed past them.
    """,
    bad="""
        import torch
        from torch import nn
        from torch.distributions import Normal


        class Coder(nn.Module):
            def __init__(self):
                super().__init__()
                self.mean = nn.Linear(4, 2)
                self.back = nn.Linear(2, 4)

            def forward(self, x):
                z = Normal(self.mean(x), 1.0).sample()
                return self.back(z)
    """,
    good="""
        import torch
        from torch import nn
        from torch.distributions import Normal


        class Coder(nn.Module):
            def __init__(self):
                super().__init__()
                self.mean = nn.Linear(4, 2)
                self.back = nn.Linear(2, 4)

            def forward(self, x):
                z = Normal(self.mean(x), 1.0).rsample()
                return self.back(z)
    """,
    remedy="write rsample()",
    proof="""
        coder = Coder()
        coder(torch.randn(3, 4)).sum().backward()
        assert coder.mean.weight.grad is not None
    """,
    severity=Severity.WARNING,
)

HOME = "torch.distributions."
SMOOTH = ("Normal", "LogNormal", "Independent", "MultivariateNormal", "Laplace", "Uniform", "Beta")
OTHERWISE = frozenset({"log_prob", "rsample", "no_grad", "inference_mode"})


@rule.event(*(f"{HOME}{name}.sample" for name in SMOOTH))
def in_forward(event: Called, source: Source) -> Iterator[Hit]:
    evaluation = source.evaluation
    names = event.way.names
    function = evaluation.find_function(event)
    nearby = (
        OTHERWISE & {each.attr for each in ast.walk(function) if isinstance(each, ast.Attribute)}
        if function
        else ()
    )
    if getattr(function, "name", "").startswith("sample"):
        return  # a distribution of one's own says by the name what it does
    if nearby or OTHERWISE & evaluation.words or not any(n.endswith(".forward") for n in names):
        return
    asked = any(
        isinstance(each, ast.If) and "training" in ast.unparse(each.test)
        for each in evaluation.list_all_around(event)
    )
    made = evaluation.ways.find_maker(event.positional[0]) if event.positional else None
    if asked or not isinstance(made, Called) or may_be_free(event, evaluation):
        return
    flow = GradientFlow(evaluation)
    given = (*made.positional, *made.keyword.values())
    if evaluation.ways.find_users(event.result) and any(flow.list_runs(each) for each in given):
        yield Hit(event, "no gradient flows through sample() to what it was drawn with")


ROUNDING = ("round", "floor", "ceil", "trunc", "sign")


@rule.event(*(f"{home}.{name}" for home in ("torch", "torch.Tensor") for name in ROUNDING))
def in_rounding(event: Called, source: Source) -> Iterator[Hit]:
    """`torch.round(self.enc(x) * 16) / 16` in a forward that is trained."""
    evaluation = source.evaluation
    function = evaluation.find_function(event)
    inside = any(name.endswith(".forward") for name in event.way.names)
    if not inside or function is None or "detach" in ast.unparse(function):
        return
    asked = any(
        isinstance(each, (ast.If, ast.IfExp)) and "train" in ast.unparse(each.test)
        for each in evaluation.list_all_around(event)
    )
    given = event.positional[0] if event.positional else None
    if asked or OTHERWISE & evaluation.words or may_be_free(event, evaluation) or given is None:
        return
    name = event.name.rpartition(".")[2]
    flow = GradientFlow(evaluation)
    if "backward" in evaluation.words and flow.list_runs(given):
        said = f"{name} has a gradient of 0 everywhere: nothing trains what it is given"
        remedy = f"hand the gradient past it: x + (torch.{name}(x) - x).detach()"
        yield Hit(event, said, remedy=remedy)
