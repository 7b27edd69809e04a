"""LT411: arguments of torch.utils.checkpoint that warn, lose gradients or give wrong ones."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.facts.api.version_guards import is_version_guarded
from lintorch.facts.dataflow.reaching import reaching_definitions
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

_FUNCTIONS = {
    "torch.utils.checkpoint.checkpoint": ("function",),
    "torch.utils.checkpoint.checkpoint_sequential": ("functions", "segments", "input"),
}
_SETTINGS = ("use_reentrant", "preserve_rng_state", "context_fn", "determinism_check", "debug")
_WARNS_SINCE = (2, 1)


@rule.source(cst.Call, needs=("checkpoint(", "checkpoint_sequential("))
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    name = source.name(call.func)
    if name not in _FUNCTIONS:
        return
    given = source.arguments(call, *_FUNCTIONS[name])
    short = name.rpartition(".")[2]
    named = all(arg.star != "**" for arg in call.args)
    reentrant = given.get("use_reentrant")
    warns = source.profile.torch >= _WARNS_SINCE and not is_version_guarded(call, source)
    if reentrant is None and named and warns:
        yield Hit(
            call, f"{short} without use_reentrant warns, and takes the old form", _fix(call, source)
        )
    elif given.value("use_reentrant") is True and (held := _list_among(call, source)):
        message = f"{short} in the reentrant form gives the tensors in {held} no gradient"
        yield Hit(call, message, severity=Severity.ERROR)
    if given.value("preserve_rng_state") is False and _drops(call, source):
        yield Hit(call, f"{short} drops other elements in the repeated forward: wrong gradients")


def _fix(call: cst.Call, source: Source) -> Fix:
    edit = source.insert_argument(call, "use_reentrant=False")
    return Fix("take the form without re-entry", (edit,), Applicability.UNSAFE)


def _list_among(call: cst.Call, source: Source) -> str:
    """A list, surely one, among the inputs."""
    for arg in call.args[1:]:
        if arg.star or arg.keyword is not None:
            continue
        values: list[cst.BaseExpression | None] = [arg.value]
        if isinstance(arg.value, cst.Name):
            values = [d.value for d in reaching_definitions(arg.value, source) if d.index is None]
        if values and all(isinstance(v, (cst.List, cst.ListComp)) for v in values):
            return source.code(arg.value)
    return ""


def _drops(call: cst.Call, source: Source) -> bool:
    """Whether the class around, or the one whose model is called, has dropout."""
    function = call.args[0].value if call.args else call
    classes = [source.classes.named(source.name(m.func)) for m in source.origins(function)]
    around = source.classes.around(call)
    layers = [
        source.name(value.func)
        for info in (around, *classes)
        if info is not None
        for values in info.attributes.values()
        for value in values
        if isinstance(value, cst.Call)
    ]
    layers += [source.name(inner.func) for one in source.origins(function) for inner in _calls(one)]
    return any(name.startswith("torch.nn.") and "Dropout" in name for name in layers)


def _calls(made: cst.Call) -> Iterator[cst.Call]:
    """The layers written into a Sequential."""
    for arg in made.args:
        if isinstance(arg.value, cst.Call):
            yield arg.value
