"""LT427: a collective that only one process calls."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT427",
    summary="a collective that only one process calls",
    why="""
        all_reduce, all_gather, broadcast and the like end when every process of the group has called
        them. Behind `if rank == 0` the first process waits for the others, which never come: the job hangs
        until the timeout of the group, half an hour by default. Call it in all processes, and keep behind
        the test what one of them does with the result. Measured on torch 2.13, with two processes on gloo.

        Reported where no other branch of the function calls the same collective, and no group is named.
    """,
    bad="""
        import torch
        import torch.distributed as dist


        def mean(total, rank):
            if rank == 0:
                dist.all_reduce(total)
                print(total / dist.get_world_size())
    """,
    good="""
        import torch
        import torch.distributed as dist


        def mean(total, rank):
            dist.all_reduce(total)
            if rank == 0:
                print(total / dist.get_world_size())
    """,
    remedy="call it in every process, and test the rank after it",
    unproven="""
        It takes several processes.
    """,
    severity=Severity.ERROR,
)

COLLECTIVES = frozenset(
    f"torch.distributed.{name}"
    for name in (
        "all_reduce", "all_gather", "all_gather_into_tensor", "all_gather_object", "broadcast", "reduce",
        "broadcast_object_list", "reduce_scatter", "reduce_scatter_tensor", "all_to_all", "barrier",
        "all_to_all_single", "gather", "gather_object", "scatter", "scatter_object_list",
    )
)  # fmt: skip
FIRST = re.compile(
    r"(\w+\.)*(\w*rank\w*|get_rank|(\w+\.)?get_rank\(.*\))\s*==\s*\d+|(not\s+)?(\w+\.)*(local_)?rank"
    r"|(\w+\.)*(is_)?(main|master|rank_?zero|rank_?0|primary)(_process|_proc|_rank|_worker)?(\(.*\))?"
)
"""A test that holds in one process alone."""


@rule.source(cst.Call, needs=("distributed", "rank"))
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    name = source.name(call.func)
    if name not in COLLECTIVES or any(a.keyword and a.keyword.value == "group" for a in call.args):
        return
    test = find_test(call, source)
    function = source.enclosing(call, cst.FunctionDef)
    if test is None or is_matched(call, name, function, source):
        return
    short = name.rpartition(".")[2]
    yield Hit(call, f"{short} behind `{test}` waits for the other processes, which never call it")


def find_test(call: cst.Call, source: Source) -> str | None:
    """The test around it that holds in one process alone."""
    inner: cst.CSTNode = call
    for outer in source.ancestors(call):
        if isinstance(outer, (cst.FunctionDef, cst.ClassDef, cst.Lambda)):
            return None
        if isinstance(outer, cst.If) and inner is outer.body:
            text = source.code(outer.test)
            if FIRST.fullmatch(text):
                return text
        inner = outer
    return None


def is_matched(call: cst.Call, name: str, function: cst.FunctionDef | None, source: Source) -> bool:
    """Whether the same collective is called elsewhere in the function, for the other processes."""
    return any(
        other is not call
        and source.name(other.func) == name
        and source.enclosing(other, cst.FunctionDef) is function
        for other in source.nodes(cst.Call)
    )
