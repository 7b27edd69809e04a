"""Which nn.Module class an expression makes an instance of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from lintorch.facts.classes.model_classes import is_module_class
from lintorch.facts.names.torch_aliases import documented_name
from lintorch.facts.project.files import home

if TYPE_CHECKING:
    from lintorch.source import Source


def layer_made(expression: cst.CSTNode, source: Source) -> str:
    """The full name of the nn.Module class whose call an expression is; "" of anything else."""
    if not isinstance(expression, cst.Call):
        return ""
    name = documented_name(source.name(expression.func))
    return name if name and names_module_class(name, source) else ""


def names_module_class(dotted: str, source: Source) -> bool:
    """Whether a full name is that of a subclass of nn.Module, of this file or another."""
    own = source.classes.named(dotted)
    if own is not None:
        return own.is_module
    return is_module_class(dotted, home(source.path), source.consulted)
