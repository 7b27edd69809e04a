"""LT505: a value that is read back from the device at each step of training."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Occurrence
from lintorch.evaluator.unknown_objects import UnknownCalled
from lintorch.evaluator.values import UNKNOWN
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT505",
    summary="a value read back from the device at each step",
    why="""
        A GPU works behind the program: calls return before they are done. item(), tolist(),
        cpu(), numpy(), float() of a tensor and print make the program wait until all the work
        so far is done, so that the next step is queued late. Keep the running sum as a tensor
        and read it once in a while.

        Off by default: where the model takes longer than the wait, as it often does, nothing
        is gained.
    """,
    bad="""
        def train(model, loader, optimizer, criterion):
            total = 0.0
            for x, y in loader:
                optimizer.zero_grad()
                loss = criterion(model(x), y)
                loss.backward()
                optimizer.step()
                total += loss.item()
            return total
    """,
    good="""
        def train(model, loader, optimizer, criterion):
            total = 0.0
            for x, y in loader:
                optimizer.zero_grad()
                loss = criterion(model(x), y)
                loss.backward()
                optimizer.step()
                total += loss.detach()
            return total
    """,
    remedy="add up tensors, and read the sum after the loop",
    unproven="It takes a GPU to see a program wait for it; on the CPU nothing does.",
    severity=Severity.NOTE,
    default=False,
)

_METHODS = ("item", "tolist", "cpu")


@rule.event(*(f"torch.Tensor.{method}" for method in _METHODS))
def of_tensor(event: Called, source: Source) -> Iterator[Hit]:
    if len(event.positional) == 1 and not event.keyword:
        yield from _report(event, f"{event.name.rpartition('.')[2]}()", source)


@rule.event(UnknownCalled)
def of_unknown(event: UnknownCalled, source: Source) -> Iterator[Hit]:
    """What loops that train read back of what is not known to be a tensor: of arrays it would be refused or a copy."""
    if event.method in _METHODS and not event.given.values:
        yield from _report(event, f"{event.method}()", source)


@rule.event("print", "float")
def of_loss(event: Called, source: Source) -> Iterator[Hit]:
    """Of a loss that runs backward."""
    given = event.positional[0] if len(event.positional) == 1 else None
    if given not in (None, UNKNOWN) and any(given is each for each in source.evaluation.losses):
        yield from _report(event, f"{event.name}(loss)", source)


def _report(event: Occurrence, read: str, source: Source) -> Iterator[Hit]:
    known = source.evaluation
    if known.find_loop(event) not in known.training_loops or known.is_now_and_then(event):
        return
    if not _is_read_already(event.node):
        message = f"{read} waits for the device at each step of the loop"
        yield Hit(event, message)


def _is_read_already(node: ast.AST) -> bool:
    """`x.cpu().numpy()`: only the first of them waits."""
    func = node.func if isinstance(node, ast.Call) else None
    inner = func.value if isinstance(func, ast.Attribute) else None
    method = inner.func if isinstance(inner, ast.Call) else None
    return isinstance(method, ast.Attribute) and method.attr in _METHODS
