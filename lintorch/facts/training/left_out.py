"""Parameters that a model keeps beside its layers, and that no group of an optimizer holds where those of the layers do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import libcst as cst

from lintorch.facts.classes.classes import ClassInfo, HasClasses
from lintorch.syntax.parsed_file import HasFile


class _Reads(HasClasses, HasFile, Protocol):
    """A file with its text, names and classes."""


MODULE = "torch.nn.Module"
_PARAMETER = "torch.nn.Parameter"
_MOVES = ("to", "cuda", "cpu", "train", "float")
_WEIGHTLESS = frozenset(
    {
        "ReLU", "GELU", "SiLU", "Tanh", "Sigmoid", "Softmax", "LogSoftmax", "LeakyReLU", "ELU", "Dropout",
        "Dropout2d", "Flatten", "Identity", "MaxPool2d", "AvgPool2d", "AdaptiveAvgPool2d", "Upsample",
        "MaxPool1d", "AdaptiveAvgPool1d", "AdaptiveMaxPool2d", "CrossEntropyLoss", "MSELoss",
    }
)  # fmt: skip
"""Layers that have nothing to train, as far as they are common beside others."""


def find_left_out(owners: Sequence[str], call: cst.Call, source: _Reads) -> str:
    """`net.scale`, where `net.body.parameters()` and `net.head.parameters()` are all else that `net` has; "" if none."""
    whole = {owner.rpartition(".")[0] for owner in owners}
    held = {owner.rpartition(".")[2] for owner in owners}
    if len(whole) != 1 or len(held) < 2 or not (name := whole.pop()).isidentifier():
        return ""
    info = _find_class(name, call, source)
    if info is None or info.bases != (MODULE,) or "forward" not in info.methods:
        return ""
    own = [key for key, made in info.attributes.items() if _is_parameter(made, source)]
    rest = info.attributes.keys() - held - {*own}
    if any(_may_have_weights(info.attributes[key], source) for key in rest):
        return ""
    return next((f"{name}.{key}" for key in own if _is_used(key, info, source)), "")


def _find_class(name: str, call: cst.Call, source: _Reads) -> ClassInfo | None:
    """The class of this file that a name is an object of."""
    named = (each for each in source.file.nodes(cst.Name) if each.value == name)
    node = next((each for each in named if call in source.file.ancestors(each)), None)
    built = [*source.classes.built(node)] if node is not None else []
    made = _unwrap(built[0]) if len(built) == 1 else None
    return source.classes.named(source.names.name(made.func)) if made is not None else None


def _unwrap(made: cst.Call) -> cst.Call | None:
    """`Net()` of `Net().to(device)`."""
    func = made.func
    while isinstance(func, cst.Attribute) and func.attr.value in _MOVES:
        if not isinstance(func.value, cst.Call):
            return None
        made, func = func.value, func.value.func
    return made


def _is_parameter(made: Sequence[cst.BaseExpression], source: _Reads) -> bool:
    """`nn.Parameter(...)` that is not told to need no gradient."""
    if len(made) != 1 or not isinstance(made[0], cst.Call) or len(made[0].args) > 1:
        return False
    return source.names.name(made[0].func) == _PARAMETER


def _may_have_weights(made: Sequence[cst.BaseExpression], source: _Reads) -> bool:
    """Whether what is kept there may be a layer that is trained."""
    calls = [each for each in made if isinstance(each, cst.Call)]
    return any(source.names.name(each.func).rpartition(".")[2] not in _WEIGHTLESS for each in calls)


def _is_used(key: str, info: ClassInfo, source: _Reads) -> bool:
    """Whether forward works with it, and nothing freezes it or hands it over elsewhere."""
    text = source.file.code(info.methods["forward"])
    return f"self.{key}" in text and f".{key}" not in source.file.text.replace(f"self.{key}", "")
