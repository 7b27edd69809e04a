"""LT525: a dataset that puts its samples on a GPU, and is read by worker processes."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit
from lintorch.core.rule import Rule
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT525",
    summary="a GPU used in a worker process of a loader",
    why="""
        Worker processes of a DataLoader are forked on Linux, and CUDA cannot be used in a process that was forked
        after CUDA had begun: "Cannot re-initialize CUDA in forked subprocess". Where they are spawned, each
        worker holds a context of its own on the GPU, some hundred MiB. Give samples on the CPU, pin_memory=True
        to the loader, and move the batch in the loop that trains. From the notes on multiprocessing of torch.

        Reported of `cuda()` and of devices named "cuda" in `__getitem__` and the methods it calls, where the file
        makes a loader with workers, and in the `collate_fn` of such a loader.
    """,
    bad="""
        import torch
        from torch.utils.data import DataLoader, Dataset


        class Rows(Dataset):
            def __init__(self, rows):
                self.rows = rows

            def __len__(self):
                return len(self.rows)

            def __getitem__(self, index):
                return torch.tensor(self.rows[index]).cuda()


        def load(rows):
            return DataLoader(Rows(rows), batch_size=4, num_workers=2)
    """,
    good="""
        import torch
        from torch.utils.data import DataLoader, Dataset


        class Rows(Dataset):
            def __init__(self, rows):
                self.rows = rows

            def __len__(self):
                return len(self.rows)

            def __getitem__(self, index):
                return torch.tensor(self.rows[index])


        def load(rows):
            return DataLoader(Rows(rows), batch_size=4, num_workers=2, pin_memory=True)
    """,
    remedy="give samples on the CPU, and move the batch: x.to(device, non_blocking=True)",
    unproven="""
        It takes a GPU.
    """,
)

METHODS = ("__getitem__", "__iter__")
ON_GPU = re.compile(r"\.cuda\(|\.to\(\s*(device=)?['\"]cuda|device=['\"]cuda")
SPAWNS = re.compile(r"\b(spawn|forkserver|get_worker_info)\b")
FORKED = "workers of a loader run this: CUDA raises in a forked process"
WORKERS = re.compile(r"num_workers\s*=\s*(?!0\b)[\w.]+")


@rule.source(cst.FunctionDef, needs=("__getitem__", "__iter__"))
def in_item(function: cst.FunctionDef, source: Source) -> Iterator[Hit]:
    owner = source.enclosing(function, cst.ClassDef)
    if function.name.value not in METHODS or owner is None or not WORKERS.search(source.text):
        return
    if SPAWNS.search(source.text):
        return
    if not any("Dataset" in source.code(base) for base in owner.bases):
        return
    own = [
        each
        for each in source.nodes(cst.FunctionDef)
        if source.enclosing(each, cst.ClassDef) is owner
    ]
    for each in (function, *(e for e in own if f"self.{e.name.value}(" in source.code(function))):
        if call := find_gpu_call(each, source):
            yield Hit(call, FORKED)
            return


@rule.source(cst.Call, needs=("collate_fn",))
def in_collate(call: cst.Call, source: Source) -> Iterator[Hit]:
    """`DataLoader(rows, num_workers=4, collate_fn=join)`, where `join` moves the batch."""
    if not WORKERS.search(source.code(call)) or SPAWNS.search(source.text):
        return
    joins = source.arguments(call).get("collate_fn")
    named = source.function(joins) if isinstance(joins, cst.Name) else None
    if named is not None and (found := find_gpu_call(named, source)):
        yield Hit(found, FORKED)


def find_gpu_call(function: cst.FunctionDef, source: Source) -> cst.Call | None:
    """The first call of a function that makes something on a GPU or moves it there."""
    for call in source.nodes(cst.Call):
        if source.enclosing(call, cst.FunctionDef) is function:
            head = source.code(call.func)
            if ON_GPU.search(source.code(call).removeprefix(head.rpartition(".")[0])):
                return call
    return None
