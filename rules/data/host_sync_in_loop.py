"""LT505: a value that is read back from the device at each step of training."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
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
    unproven="It takes a GPU to see a program wait for it; on the CPU nothing does.",
    severity=Severity.NOTE,
    default=False,
)

METHODS = ("item", "tolist", "cpu", "numpy")
WORDS = (".backward(",)


@rule.source(cst.Call, needs=WORDS)
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    read = reads(call, source)
    if not read:
        return
    loop = next(source.loops.around(call), None)
    if loop is not None and loop.trains and not is_now_and_then(call, loop.node, source):
        yield Hit(call, f"{read} waits for the device at each step of the loop")


def reads(call: cst.Call, source: Source) -> str:
    """How a call takes a tensor to the host; "" where it does not."""
    func = call.func
    if isinstance(func, cst.Attribute) and not call.args and func.attr.value in METHODS:
        inner = func.value
        return "" if reads_by_method(inner) else f"{func.attr.value}()"
    name = source.name(func)
    first = call.args[0].value if len(call.args) == 1 else None
    shown = isinstance(first, cst.Name) and first.value == "loss"
    return f"{name}(loss)" if shown and name in ("print", "float") else ""


def reads_by_method(node: cst.CSTNode) -> bool:
    """Whether an expression was read back by itself, as in `x.cpu().numpy()`."""
    func = node.func if isinstance(node, cst.Call) else None
    return isinstance(func, cst.Attribute) and func.attr.value in METHODS


def is_now_and_then(call: cst.CSTNode, loop: cst.CSTNode, source: Source) -> bool:
    """Whether a condition stands between a call and its loop, as `if step % 100 == 0`."""
    for outer in source.ancestors(call):
        if outer is loop:
            return False
        if isinstance(outer, (cst.If, cst.IfExp)):
            return True
    return False
