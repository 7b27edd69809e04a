"""LT411: arguments of torch.utils.checkpoint that warn, lose gradients or give wrong ones."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.values import FALSE, TRUE, Items
from lintorch.facts.api.version_guards import is_version_guarded
from lintorch.facts.models.lenient_checkpoints import CHECKPOINTS, write_lenient
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT411",
    summary="activation checkpointing with doubtful arguments",
    why="""
        Without `use_reentrant`, checkpoint warns on every call and takes the reentrant form,
        which trains nothing where no input needs a gradient: the parameters inside get none,
        and a further warning is the only sign. The reentrant form does not look into lists
        either: tensors handed over in a list get no gradient, and backward raises.
        `use_reentrant=False` has neither problem. With `preserve_rng_state=False` dropout drops
        other elements when the forward pass is repeated, and the gradients are wrong without a
        word. Measured on torch 2.13.
    """,
    bad="""
        from torch import nn
        from torch.utils.checkpoint import checkpoint


        class Encoder(nn.Module):
            def __init__(self):
                super().__init__()
                self.block = nn.Sequential(nn.Linear(8, 8), nn.GELU())

            def forward(self, x):
                return checkpoint(self.block, x)
    """,
    good="""
        from torch import nn
        from torch.utils.checkpoint import checkpoint


        class Encoder(nn.Module):
            def __init__(self):
                super().__init__()
                self.block = nn.Sequential(nn.Linear(8, 8), nn.GELU())

            def forward(self, x):
                return checkpoint(self.block, x, use_reentrant=False)
    """,
    proof="""
        import torch

        warnings.simplefilter("ignore")
        encoder = Encoder()
        encoder(torch.ones(2, 8)).sum().backward()
        assert encoder.block[0].weight.grad is not None
    """,
    fix=Applicability.UNSAFE,
)

_WARNS_SINCE = (2, 1)


@rule.source(cst.Call, needs=("checkpoint",))
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    """A call by name without the setting, on whatever branch."""
    name = source.name(call.func)
    if name not in CHECKPOINTS or any(arg.star == "**" for arg in call.args):
        return
    if not any(arg.keyword and arg.keyword.value == "use_reentrant" for arg in call.args):
        yield from _warn(call, name, call, source)


@rule.event(*CHECKPOINTS)
def in_call(event: Called, source: Source) -> Iterator[Hit]:
    """By another name, through `partial`; with what harms the one form or the other."""
    short, call = event.name.rpartition(".")[2], source.call_at(event)
    reentrant = event.keyword.get("use_reentrant")
    if reentrant is None and call is not None and not _may_be_named(event):
        yield from _warn(event, event.name, call, source)
    elif reentrant == TRUE and (held := _list_among(event)):
        message = f"{short} in the reentrant form gives the tensors in {held} no gradient"
        remedy = "write use_reentrant=False"
        yield Hit(event, message, severity=Severity.ERROR, remedy=remedy)
    if event.keyword.get("preserve_rng_state") == FALSE and _drops(event, source):
        message = f"{short} drops other elements in the repeated forward: wrong gradients"
        yield Hit(event, message, remedy="leave preserve_rng_state out")


def _warn(node: object, name: str, call: cst.Call, source: Source) -> Iterator[Hit]:
    if source.profile.torch >= _WARNS_SINCE and not is_version_guarded(call, source):
        short = name.rpartition(".")[2]
        message = f"{short} without use_reentrant warns, and takes the old form"
        fix, remedy = write_lenient(call, source), "write use_reentrant=False"
        yield Hit(node, message, fix, severity=Severity.NOTE, remedy=remedy)  # nothing breaks yet


def _may_be_named(event: Called) -> bool:
    """Whether it is among `**options` of which not all are known."""
    node = event.node
    if not isinstance(node, ast.Call):
        return True
    return any(k.arg is None and not isinstance(k.value, ast.Dict) for k in node.keywords)


def _list_among(event: Called) -> str:
    """A list, surely one, among the inputs."""
    written = event.node.args if isinstance(event.node, ast.Call) else []
    for index, value in enumerate(event.positional[1:], 1):
        if isinstance(value, Items) and value.kind == "list":
            plain = index < len(written) and not any(isinstance(e, ast.Starred) for e in written)
            return ast.unparse(written[index]) if plain else "a list"
    return ""


def _drops(event: Called, source: Source) -> bool:
    """Whether dropout runs in what is called."""
    return any(
        isinstance(each, Called)
        and "ropout" in each.name.removesuffix(".forward").rpartition(".")[2]
        and (each.node is event.node or event.spot in each.way.spots)
        for reached in source.evaluation.reached
        for each in reached.events
    )
