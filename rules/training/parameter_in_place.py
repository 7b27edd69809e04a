"""LT434: a parameter, or another leaf, that is changed in place while gradients are recorded."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Combined, Occurrence
from lintorch.evaluator.run_model import Reached
from lintorch.evaluator.unknown_objects import UnknownCalled
from lintorch.evaluator.values import TRUE, Tensor, Unknown, Value
from lintorch.facts.models.evaluation import is_backward_pass
from lintorch.facts.models.gradient_graphs import GradientGraphs
from lintorch.facts.models.operation_steps import name_operation
from lintorch.source import Source, Training

rule = Rule(
    __name__,
    code="LT434",
    summary="a leaf is changed in place",
    why="""
        A tensor that requires grad and was made by no operation is a leaf. `w -= lr * w.grad`,
        `p.clamp_(-1, 1)` for the weights of a critic or `p.mul_(0.99)` for an average raise "a leaf
        Variable that requires grad is being used in an in-place operation", unless gradients are
        not recorded. Put it under `with torch.no_grad():`. Measured on torch 2.13.

        Followed are tensors made with requires_grad=True and what loops take out of
        parameters(), in code that runs backward() too and freezes nothing.
    """,
    bad="""
        import torch


        def clipped(model, batches, optimizer):
            for batch in batches:
                optimizer.zero_grad()
                model(batch).mean().backward()
                optimizer.step()
                for weight in model.parameters():
                    weight.clamp_(-0.01, 0.01)
    """,
    good="""
        import torch


        def clipped(model, batches, optimizer):
            for batch in batches:
                optimizer.zero_grad()
                model(batch).mean().backward()
                optimizer.step()
                for weight in model.parameters():
                    weight.data.clamp_(-0.01, 0.01)
    """,
    remedy="put it under torch.no_grad()",
    proof="""
        model = torch.nn.Linear(2, 1)
        clipped(model, [torch.ones(1, 2)], torch.optim.SGD(model.parameters(), lr=0.1))
    """,
    severity=Severity.ERROR,
)

_PARAMETER = re.compile(r"\.parameters\(\)\[\]$|\.named_parameters\(\)\[\]\[1\]$")
_HARMLESS = frozenset({"requires_grad_", "retain_grad_", "share_memory_", "detach_", "grad_"})
_FREEZING = frozenset({"requires_grad_"})


@rule.event(Training)
def in_training(training: Training, source: Source) -> Iterator[Hit]:
    for reached in source.evaluation.reached:
        if not reached.ordered or not reached.events:
            continue
        graphs = source.evaluation.graphs.get(reached.events[0].way.root)
        if graphs is not None and any(
            is_backward_pass(e) and not graphs.is_quiet(e) for e in reached.events
        ):
            yield from _list_changes(reached, graphs, source)


def _list_changes(reached: Reached, graphs: GradientGraphs, source: Source) -> Iterator[Hit]:
    frozen = _FREEZING & source.evaluation.words or _sets_grad(reached)
    for event in reached.events:
        changed = _find_changed(event)
        if changed is None or graphs.is_quiet(event):
            continue
        drawn = isinstance(changed, Unknown) and _PARAMETER.search(changed.path) and not frozen
        if drawn or _is_leaf(changed, source):
            written = _name_changed(event)
            message = f"changes {written} in place, which needs a gradient: it raises"
            yield Hit(event, message)


def _find_changed(event: Occurrence) -> Value | None:
    """What `p.clamp_()` and `p -= 1` change."""
    if isinstance(event, UnknownCalled):
        return event.held if _is_writing(event.method) else None
    if isinstance(event, Called) and event.name.startswith("torch.Tensor."):
        last = event.name.rpartition(".")[2]
        return event.positional[0] if _is_writing(last) and event.positional else None
    if isinstance(event, Combined):
        return event.left if event.inplace else None
    return None


def _is_writing(method: str) -> bool:
    return method.endswith("_") and not method.endswith("__") and method not in _HARMLESS


def _is_leaf(value: Value, source: Source) -> bool:
    """Whether it was made to need a gradient, by no operation."""
    if not isinstance(value, Tensor):
        return False
    return any(
        isinstance(made, Called)
        and made.keyword.get("requires_grad") == TRUE
        and name_operation(made) not in ("Parameter", "to")
        for each in (value, *value.arms)
        if (made := source.evaluation.ways.find_maker(each)) is not None
    )


def _sets_grad(reached: Reached) -> bool:
    """Whether anything is told that it needs no gradient."""
    return any(
        getattr(event, "attribute", "") == "requires_grad" and hasattr(event, "value")
        for event in reached.events
    )


def _name_changed(event: Occurrence) -> str:
    node = event.node
    if isinstance(node, ast.AugAssign):
        return ast.unparse(node.target)
    func = node.func if isinstance(node, ast.Call) else node
    return ast.unparse(func.value) if isinstance(func, ast.Attribute) else "a leaf"
