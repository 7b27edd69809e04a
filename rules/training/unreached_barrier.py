"""LT424: a barrier after a yield, which is not reached where the body raises."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT424",
    summary="a barrier that an error leaves out",
    why="""
        A context manager that reaches a barrier after its yield does not reach it when its body
        raises: the other processes wait for it until they time out, after half an hour as a rule,
        and the error is hard to find. With the yield in `try` and the barrier in `finally` they go
        on, and fail by themselves.
    """,
    bad="""
        from contextlib import contextmanager

        import torch.distributed as dist


        @contextmanager
        def first(rank):
            if rank != 0:
                dist.barrier()
            yield
            if rank == 0:
                dist.barrier()
    """,
    good="""
        from contextlib import contextmanager

        import torch.distributed as dist


        @contextmanager
        def first(rank):
            if rank != 0:
                dist.barrier()
            try:
                yield
            finally:
                if rank == 0:
                    dist.barrier()
    """,
    unproven="""
        It takes several processes.
    """,
    severity=Severity.NOTE,
    formerly=("LT413", "distributed-habits"),
)

BARRIERS = ("torch.distributed.barrier", "torch.distributed.monitored_barrier")
MANAGERS = ("contextlib.contextmanager", "contextlib.asynccontextmanager")


@rule.source(cst.FunctionDef, needs=("barrier(",))
def barrier_unreached(function: cst.FunctionDef, source: Source) -> Iterator[Hit]:
    if not any(source.name(d.decorator) in MANAGERS for d in function.decorators):
        return
    own = [y for y in source.nodes(cst.Yield) if source.enclosing(y, cst.FunctionDef) is function]
    if len(own) != 1 or source.enclosing(own[0], cst.Try, cst.FunctionDef) is not function:
        return
    for call in source.nodes(cst.Call):
        within = source.enclosing(call, cst.FunctionDef) is function
        if within and source.precedes(own[0], call) and source.name(call.func) in BARRIERS:
            message = "not reached where the body raises: other processes wait for it in vain"
            yield Hit(call, message, remedy="put the yield in try and this in finally")
            return
