"""LT703: objects of other processes, packages or libraries that run code when they are read."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.source import UNKNOWN, Source, literal

rule = Rule(
    __name__,
    code="LT703",
    summary="objects or libraries of others that run code when they are read",
    why="""
        all_gather_object, broadcast_object_list and their kin pickle what they send and unpickle
        what they get: any rank can run code on every other, and on a GPU the bytes go through the
        device and back. Tensors need no pickle. torch.package and
        torch.ops.load_library run what the file given holds. Measured on torch 2.13.

        Off by default: within one job the ranks trust each other, and such calls are the
        documented way to send what is not a tensor.
    """,
    bad="""
        import torch
        import torch.distributed as dist


        def shared(loss):
            gathered = [None] * dist.get_world_size()
            dist.all_gather_object(gathered, loss)
            return gathered
    """,
    good="""
        import torch
        import torch.distributed as dist


        def shared(loss):
            gathered = [torch.empty(()) for _ in range(dist.get_world_size())]
            dist.all_gather(gathered, torch.as_tensor(loss))
            return gathered
    """,
    remedy="send tensors, or let only machines that you trust into the group",
    proof="""
        class Loss(float):
            def __reduce__(self):
                return exec, ("raise SystemExit('code of another rank has run')",)


        store = dist.HashStore()
        dist.init_process_group("gloo", store=store, rank=0, world_size=1)
        shared(Loss(0.5))
        dist.destroy_process_group()
    """,
    severity=Severity.NOTE,
    default=False,
)

_OBJECTS = frozenset(
    f"torch.distributed.{name}"
    for name in (
        "all_gather_object", "gather_object", "broadcast_object_list", "scatter_object_list",
        "send_object_list", "recv_object_list",
    )
)  # fmt: skip
_FILES = frozenset(
    ("torch.package.PackageImporter", "torch.ops.load_library", "torch.classes.load_library")
)


@rule.source(cst.Call, needs=("_object", "PackageImporter", "load_library"))
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    name = source.name(call.func).replace(".distributed_c10d.", ".")
    short = name.rpartition(".")[2]
    if name in _OBJECTS:
        yield Hit(call, f"{short} unpickles what other ranks send: they can run code here")
    elif name in _FILES and call.args and literal(call.args[0].value) is UNKNOWN:
        yield Hit(call, f"{short} runs the code of a file that is named elsewhere")
