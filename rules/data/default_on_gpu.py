"""LT534: loaders that shuffle, and datasets that are split, where new tensors are made on a GPU by default."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.source import Source, literal

rule = Rule(
    __name__,
    code="LT534",
    summary="a loader that shuffles under a default device",
    why="""
        After torch.set_default_device("cuda"), or set_default_tensor_type of a type of torch.cuda,
        torch.randperm is made on the GPU, and RandomSampler gives it a generator of the CPU:
        "Expected a 'cuda' device type for generator but found 'cpu'", at the first batch. So does
        random_split. torch 2.13 has both lines still; public threads of a dozen projects have the
        error. Give a generator of that device, or leave the default alone and name the device
        where tensors are made.

        Reported where the same file sets the default, and puts it back nowhere but in a branch.
    """,
    bad="""
        import torch
        from torch.utils.data import DataLoader

        torch.set_default_device("cuda")


        def load(data):
            return DataLoader(data, batch_size=8, shuffle=True)
    """,
    good="""
        import torch
        from torch.utils.data import DataLoader

        torch.set_default_device("cuda")


        def load(data):
            return DataLoader(data, batch_size=8, shuffle=True, generator=torch.Generator(device="cuda"))
    """,
    unproven="""
        It takes a GPU.
    """,
    remedy="pass generator=torch.Generator(device='cuda')",
    severity=Severity.ERROR,
    fix=Applicability.UNSAFE,
)

SETTING = frozenset({"torch.set_default_device", "torch.set_default_tensor_type"})
LOADER = "torch.utils.data.DataLoader"
DRAWING = frozenset({"torch.utils.data.random_split", "torch.utils.data.RandomSampler"})
OF_GPU = re.compile(r"^cuda\b|^torch\.cuda\.")


@rule.source(cst.Call, needs=("set_default_device", "set_default_tensor_type"))
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    name, given = source.name(call.func), source.arguments(call)
    if name != LOADER and name not in DRAWING:
        return
    if not given.complete or "generator" in given.by_name or not is_on_gpu(source):
        return
    if name == LOADER:
        shuffles = source.arguments(call, "dataset", "batch_size", "shuffle").get("shuffle")
        if shuffles is None or literal(shuffles) is not True:
            return
        what = "shuffles"
    else:
        what = "draws"
    made = 'torch.Generator(device="cuda")'
    torch = source.spell("torch.Generator", call)
    fix = None
    if torch:
        edit = source.insert_argument(call, f"generator={made.replace('torch.Generator', torch)}")
        fix = Fix("give it a generator of the GPU", (edit,), Applicability.UNSAFE)
    message = (
        f"{what} by a generator of the CPU, where tensors are made on the GPU by default: it raises"
    )
    yield Hit(call, message, fix)


def is_on_gpu(source: Source) -> bool:
    """Whether the file makes a GPU the default, and no plain statement takes that back."""
    settings = [each for each in source.nodes(cst.Call) if source.name(each.func) in SETTING]
    back = [each for each in settings if not names_gpu(each, source)]
    return len(back) < len(settings) and all(is_choice(each, source) for each in back)


def names_gpu(call: cst.Call, source: Source) -> bool:
    """`"cuda:0"`, `torch.cuda.FloatTensor`, `torch.device("cuda")`; no name of which nothing is known."""
    given = call.args[0].value if call.args else None
    if isinstance(given, cst.Call) and source.name(given.func) == "torch.device":
        given = given.args[0].value if given.args else None
    text = literal(given) if given is not None else None
    named = text if isinstance(text, str) else source.name(given) if given is not None else ""
    return bool(OF_GPU.match(named))


def is_choice(call: cst.Call, source: Source) -> bool:
    """Whether it stands in a branch."""
    return source.enclosing(call, cst.If, cst.Else, cst.IfExp) is not None
