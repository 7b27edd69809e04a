"""LT453: gradients of several batches that are summed up where their mean is meant."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.facts.project.parts_elsewhere import is_written_around
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT453",
    summary="accumulated gradients that nobody divides",
    why="""
        backward() adds to the gradients that are there. Where step() runs every n-th batch, the step follows
        the sum of n gradients and not their mean: n times as far with SGD, n times as much for clip_grad_norm_
        to cut off, n times as long a warm-up as one big batch. Divide the loss by n before backward().
        Measured on torch 2.13, n = 4: SGD moves a weight four times as far as for the four batches in one.

        A loss that sums over its batch on purpose, and a learning rate that was set for the sum, are right as
        they are. Adam, AdamW and others that divide by the size of the gradient go equally far either way
        (measured: to the last digit); where the file, or the project, names these alone, nothing is said.
    """,
    bad="""
        import torch


        def train(model, batches, optimizer, every=4):
            optimizer.zero_grad()
            for i, x in enumerate(batches):
                loss = model(x).square().mean()
                loss.backward()
                if (i + 1) % every == 0:
                    optimizer.step()
                    optimizer.zero_grad()
    """,
    good="""
        import torch


        def train(model, batches, optimizer, every=4):
            optimizer.zero_grad()
            for i, x in enumerate(batches):
                loss = model(x).square().mean()
                (loss / every).backward()
                if (i + 1) % every == 0:
                    optimizer.step()
                    optimizer.zero_grad()
    """,
    remedy="divide it first: (loss / n).backward()",
    proof="""
        torch.manual_seed(0)
        one, other, batches = torch.nn.Linear(2, 1), torch.nn.Linear(2, 1), torch.randn(4, 3, 2)
        other.load_state_dict(one.state_dict())
        train(one, batches, torch.optim.SGD(one.parameters(), lr=0.1))
        train(other, [batches.flatten(0, 1)], torch.optim.SGD(other.parameters(), lr=0.1), every=1)
        assert torch.allclose(one.weight, other.weight, atol=1e-6)
    """,
    severity=Severity.NOTE,
)

ADAPTIVE = re.compile(rb"\b(Adam|AdamW|NAdam|Adamax|RMSprop|Adagrad|Adadelta|Adafactor)\b")
PLAIN = re.compile(rb"\b(A?SGD|LBFGS|RAdam|Muon)\b")
COUNTED = re.compile(r"%\s*([\w.\[\]\"']+)")


@rule.source(cst.If, needs=("backward", "%"))
def in_loop(branch: cst.If, source: Source) -> Iterator[Hit]:
    counted = COUNTED.search(source.code(branch.test))
    loop = source.enclosing(branch, cst.For, cst.If, cst.FunctionDef, cst.While)
    if counted is None or not isinstance(loop, cst.For) or counted[1] == "2":
        return
    body = source.code(branch.body)
    if not re.search(r"\.step\(", body) or "zero_grad" not in body or "backward" in body:
        return
    back = [
        each
        for each in source.nodes(cst.Call)
        if is_backward(each) and stands_in(each, loop, source)
    ]
    if len(back) != 1 or is_adaptive(source):
        return
    if not is_divided(loop, counted[1], source):
        said = f"step() follows the sum of the gradients of {counted[1]} batches, not their mean"
        yield Hit(back[0], said, remedy=f"divide the loss by {counted[1]} before backward()")


def is_adaptive(source: Source) -> bool:
    """Whether all optimizers that are named divide by the size of the gradient: the file's, else the project's."""
    text = source.text.encode()
    if ADAPTIVE.search(text) or PLAIN.search(text):
        return not PLAIN.search(text)
    adaptive = is_written_around(ADAPTIVE, source.path, source.consulted)
    return adaptive and not is_written_around(PLAIN, source.path, source.consulted)


def is_backward(call: cst.Call) -> bool:
    return isinstance(call.func, cst.Attribute) and call.func.attr.value == "backward"


def stands_in(call: cst.Call, loop: cst.For, source: Source) -> bool:
    """Whether a call runs in each round of a loop."""
    kinds = (cst.For, cst.While, cst.If, cst.FunctionDef, cst.Try)
    return source.enclosing(call, *kinds) is loop


def is_divided(loop: cst.For, count: str, source: Source) -> bool:
    """Whether anything in the function is set right by how many batches there are to a step.

    That is the loss, the rate or the decay; and it is said that there are ever more of them.
    """
    function = source.enclosing(loop, cst.FunctionDef)
    text = source.code(function) if function is not None else source.text
    name = count.rpartition(".")[2]
    divided = re.search(
        rf"/=?\s*\(?(float\()?[\w.]*{re.escape(name)}|div_?\([\w.]*{re.escape(name)}", text
    )
    counted = re.escape(name)
    changed = re.search(rf"(decay|lr\b)[^=\n]*[*/]?=.*\b{counted}\b", text) or re.search(
        rf"^\s*{counted}\s*=[^=]", source.code(loop.body), re.MULTILINE
    )
    return (
        bool(divided or changed)
        or "accelerat" in text
        or "reduction='sum'" in text.replace('"', "'")
    )
