"""LT506: a clock read before the GPU has done what is timed."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit
from lintorch.core.rule import Rule
from lintorch.facts.training.roles import role_of_class
from lintorch.source import Role, Source
from lintorch.syntax.tree import offspring

rule = Rule(
    __name__,
    code="LT506",
    summary="a GPU timed without waiting for it",
    why="""
        A call that runs on a GPU returns when the work is queued, not when it is done. The
        clock that is read then shows how long the queueing took. Call
        torch.cuda.synchronize() before both readings, or use torch.utils.benchmark or CUDA
        events. Only a forward pass that surely runs on CUDA in this file, with nothing in it
        that waits, is reported.

        There is no fix, as synchronize() raises where torch has no CUDA.
    """,
    bad="""
        import time

        import torch
        from torch import nn


        def timed(x):
            model = nn.Linear(4096, 4096).cuda()
            start = time.time()
            y = model(x)
            return y, time.time() - start
    """,
    good="""
        import time

        import torch
        from torch import nn


        def timed(x):
            model = nn.Linear(4096, 4096).cuda()
            torch.cuda.synchronize()
            start = time.time()
            y = model(x)
            torch.cuda.synchronize()
            return y, time.time() - start
    """,
    unproven="It takes a GPU: work on the CPU is done when the call returns.",
)

CLOCKS = ("time.time", "time.perf_counter", "time.monotonic", "timeit.default_timer")
WAITS = ("synchronize", "item", "cpu", "tolist", "numpy", "elapsed_time", "backward")
"""Calls that wait for the device, and backward, after which most code reads the loss."""
ON_GPU = (
    ".cuda(",
    'to("cuda',
    "to('cuda",
    'device("cuda',
    "device('cuda",
    'device = "cuda',
    "device = 'cuda",
)


@rule.source(cst.BinaryOperation, needs=("time.time()", "perf_counter", "default_timer"))
def in_source(node: cst.BinaryOperation, source: Source) -> Iterator[Hit]:
    """`time.time() - start`, where a model ran in between."""
    if not isinstance(node.operator, cst.Subtract) or not is_clock(node.left, source):
        return
    function = source.enclosing(node, cst.FunctionDef) or source.module
    if not source.mentions(ON_GPU) or not isinstance(node.right, cst.Name):
        return
    between = list(calls_between(node.right, node, function, source))
    runs = [c for c in between if is_model(c.func, source)]
    if runs and not any(waits(call, source) for call in between):
        model = source.code(runs[0].func)
        yield Hit(
            node, f"the clock is read when {model} is queued, not when the GPU is done with it"
        )


def is_model(node: cst.CSTNode, source: Source) -> bool:
    """Whether a model is called, by what made it or by its name and its other methods."""
    made = {role_of_class(source.name(call.func), source) for call in source.origins(node)}
    return made == {Role.MODEL} or source.presumed_role(node) is Role.MODEL


def is_clock(node: cst.CSTNode, source: Source) -> bool:
    return isinstance(node, cst.Call) and source.name(node.func) in CLOCKS


def calls_between(
    start: cst.Name, end: cst.CSTNode, function: cst.CSTNode, source: Source
) -> Iterator[cst.Call]:
    """The calls of a function after `start = time.time()` and before the second reading."""
    begun = False
    for node in walk(function.body if isinstance(function, cst.FunctionDef) else function):
        if node is end:
            return
        if isinstance(node, cst.Assign) and is_clock(node.value, source):
            target = node.targets[0].target
            begun = begun or (isinstance(target, cst.Name) and target.value == start.value)
        elif begun and isinstance(node, cst.Call):
            yield node


def walk(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Every node below one, in document order, functions inside left out."""
    for part in offspring(node):
        if not isinstance(part, (cst.FunctionDef, cst.ClassDef, cst.Lambda)):
            yield part
            yield from walk(part)


def waits(call: cst.Call, source: Source) -> bool:
    """Whether a call waits for the GPU, or may do so where it is not known what it is."""
    func = call.func
    name = source.name(func).rpartition(".")[2]
    method = func.attr.value if isinstance(func, cst.Attribute) else name
    return method in WAITS or "sync" in method.lower() or source.function(func) is not None
