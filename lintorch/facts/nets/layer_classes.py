"""Which nn.Module class an expression makes an instance of."""

from __future__ import annotations

import libcst as cst

from lintorch.facts.classes.classes import HasClasses


def layer_made(expression: cst.CSTNode, source: HasClasses) -> str:
    """The full name of the nn.Module class whose call an expression is; "" of anything else."""
    if not isinstance(expression, cst.Call):
        return ""
    name = source.names.name(expression.func)
    return name if name and names_module_class(name, source) else ""


def names_module_class(dotted: str, source: HasClasses) -> bool:
    """Whether a full name is that of a subclass of nn.Module, of this file or another."""
    own = source.classes.named(dotted)
    if own is not None:
        return own.is_module
    return source.classes.is_module_class(dotted)
