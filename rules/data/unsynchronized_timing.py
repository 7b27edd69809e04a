"""LT506: a clock read before the GPU has done what is timed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from lintorch.core.finding import Hit
from lintorch.core.rule import Rule
from lintorch.evaluator.events import (
    Called,
    Combined,
    DataRead,
    Indexed,
    ModelCalled,
    Occurrence,
)
from lintorch.evaluator.unknown_objects import UnknownCalled
from lintorch.evaluator.values import Tensor
from lintorch.source import Role, Source

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
    remedy="call torch.cuda.synchronize() before each reading",
    unproven="It takes a GPU: work on the CPU is done when the call returns.",
)

CLOCKS = ("time.time", "time.perf_counter", "time.monotonic", "timeit.default_timer")
QUICK = ("range", "len", "print", "enumerate", "zip", "time", "perf_counter", "append", "tqdm")
"""Functions outside of torch that look at no tensor's numbers."""
WAITS = (
    "nonzero",
    "masked_select",
    "unique",
    "nms",
    "synchronize",
    "item",
    "cpu",
    "tolist",
    "numpy",
    "elapsed_time",
    "backward",
)
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


@rule.event(Combined)
def in_source(event: Combined, source: Source) -> Iterator[Hit]:
    """`time.time() - start`, where a model ran in between."""
    ways = source.evaluation.ways
    ended, begun = ways.find_maker(event.left), ways.find_maker(event.right)
    if event.operator != "Sub" or not (_reads_clock(ended) and _reads_clock(begun)):
        return
    if ended is None or begun is None or not source.mentions(ON_GPU):
        return
    between = source.evaluation.list_between(begun, ended)
    ran = next((each for each in between if _runs_model(each, source)), None)
    if ran is None or _gives_arrays(ran, source):
        return
    if not any(_waits(each, source) for each in between):
        text = source.evaluation.text(ran.spot).partition("(")[0]
        message = f"the clock is read when {text} is queued, not when the GPU is done with it"
        yield Hit(event, message)


def _reads_clock(event: Occurrence | None) -> bool:
    return isinstance(event, Called) and event.name in CLOCKS


def _runs_model(event: Occurrence, source: Source) -> bool:
    """Whether a model is called, by its class or by what else is called on it."""
    if isinstance(event, ModelCalled):
        return True
    if isinstance(event, UnknownCalled):
        return (
            not event.method and source.evaluation.parts.find_role(event.held, event) is Role.MODEL
        )
    return isinstance(event, Called) and event.built is not None


def _gives_arrays(event: Occurrence, source: Source) -> bool:
    """Whether what a model gives may be an array of NumPy, for which it has waited.

    Of a model whose class is not seen that is so unless the function goes on with a tensor:
    `out.argmax(1)`, `F.softmax(out)`, `criterion(out, y)`, or nothing looks at what it gives.
    """
    function = source.evaluation.find_function(event)
    if function is None or source.evaluation.is_dropped(event):
        return False
    given: set[str] = set()
    arrays: set[str] = set()
    for each in ast.walk(function):
        if isinstance(each, ast.Assign):
            names = {n.id for t in each.targets for n in ast.walk(t) if isinstance(n, ast.Name)}
            if each.value is event.node:
                given |= names
            elif _ARRAY.match(ast.unparse(each.value)):
                arrays |= names
    sides = [_list_sides(each) for each in ast.walk(function)]
    if any(not given.isdisjoint(pair) and not arrays.isdisjoint(pair) for pair in sides):
        return True
    unseen = isinstance(event, UnknownCalled)
    return unseen and not any(_takes_tensor(each, given) for each in ast.walk(function))


_ARRAY = re.compile(r"(np|numpy)\.(array|asarray|zeros|ones|float32)\(")
_OF_TENSORS = frozenset(
    (
        *("cpu", "cuda", "detach", "data", "item", "argmax", "softmax", "sigmoid", "to", "view"),
        *("size", "topk", "log_softmax", "backward", "unsqueeze", "permute", "numpy", "float"),
    )
)
_TAKING_TENSORS = re.compile(r"(torch|F|nn)\.\w|(\w+\.)?(criterion|\w*loss\w*)$", re.I)


def _takes_tensor(node: ast.AST, names: set[str]) -> bool:
    """Whether code goes on with one of these names as with a tensor."""
    match node:
        case ast.Attribute(value=ast.Name(id=name), attr=attribute):
            return name in names and attribute in _OF_TENSORS
        case ast.Attribute(value=ast.Subscript(value=ast.Name(id=name)), attr=attribute):
            return name in names and attribute in _OF_TENSORS
        case ast.Call(func=func, args=args) if _TAKING_TENSORS.match(ast.unparse(func)):
            return any(isinstance(each, ast.Name) and each.id in names for each in args)
    return False


def _list_sides(node: ast.AST) -> tuple[str, ...]:
    match node:
        case ast.AugAssign(target=ast.Name(id=left), value=ast.Name(id=right)):
            return left, right
        case ast.BinOp(left=ast.Name(id=left), right=ast.Name(id=right)):
            return left, right
    return ()


def _waits(event: Occurrence, source: Source) -> bool:
    """Whether a call waits for the GPU, or may do so where it is not known what it is."""
    if isinstance(event, UnknownCalled):
        return not _runs_model(event, source)
    if isinstance(event, Indexed):
        return source.evaluation.ways.find_comparison(event.index) is not None or (
            isinstance(event.index, Tensor) and event.index.dtype == "bool"
        )
    if not isinstance(event, Called):
        return isinstance(event, DataRead)
    first, _, last = event.name.rpartition(".")
    return last in WAITS or "sync" in last.lower() or (first[:5] != "torch" and last not in QUICK)
