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

        Reported of `cuda()` and of devices named "cuda" in `__getitem__`, where the file makes a loader with
        workers.
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
    for call in source.nodes(cst.Call):
        if source.enclosing(call, cst.FunctionDef) is not function:
            continue
        text = source.code(call)
        head = source.code(call.func)
        if ON_GPU.search(text.removeprefix(head.rpartition(".")[0])):
            yield Hit(call, "workers of a loader run this: CUDA raises in a forked process")
            return
