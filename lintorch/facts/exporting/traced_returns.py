"""Gives torch.jit.trace the tensors of what forward returns, and everybody else what they are used to.

    outputs = {"boxes": boxes, "scores": scores}
    if torch.jit.is_tracing():
        return tuple(outputs.values())
    return outputs

Measured on torch 2.13: torch.export never takes that branch; both tracers do, and the legacy ONNX
exporter writes the same outputs in the same order, with and without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix
from lintorch.evaluator.values import Constant, Items, Tensor, Unknown, Value

_NAMES = ("outputs", "result", "returned")
_LISTS = ("list", "tuple")


class HasReturns(Protocol):
    """A file whose statements can be found and edited."""

    text: str

    def parent(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """The node around this one."""

    def enclosing(self, node: cst.CSTNode, *kinds: type[cst.FunctionDef]) -> cst.FunctionDef | None:
        """The innermost node of these classes around this one."""

    def code(self, node: cst.CSTNode) -> str:
        """The node's own text."""

    def replace(self, node: cst.CSTNode, content: str) -> Edit:
        """Put `content` in the place of a node."""

    def reach(self, dotted: str, at: cst.CSTNode) -> tuple[str, tuple[Edit, ...]]:
        """How to write a dotted name at a node, and the import that this needs."""


def return_tensors(given: Sequence[tuple[cst.CSTNode, Value]], source: HasReturns) -> Fix | None:
    """For all `return`s of a forward, each of its own line, of dicts of tensors and of what holds None."""
    asked, imports = source.reach("torch.jit.is_tracing", given[0][0])
    edits = [_mend_return(node, value, asked, source) for node, value in given]
    if not asked or not all(edits):
        return None
    told = "return the tensors alone while torch.jit traces"
    return Fix(told, (*filter(None, edits), *imports), Applicability.UNSAFE)


def _mend_return(node: cst.CSTNode, value: Value, asked: str, source: HasReturns) -> Edit | None:
    line, inside = source.parent(node), source.enclosing(node, cst.FunctionDef)
    if not isinstance(line, cst.Return) or inside is None:
        return None
    whole = source.replace(line, "")
    margin = source.text[source.text.rfind("\n", 0, whole.start) + 1 : whole.start]
    name = _name_value(node, source.code(inside))
    tensors = _list_tensors(name, value)
    if margin.strip() or not name or not tensors:
        return None
    begin = "" if isinstance(node, cst.Name) else f"{name} = {source.code(node)}\n{margin}"
    step = "\t" if "\t" in margin else "    "
    text = f"{begin}if {asked}():\n{margin}{step}return {tensors}\n{margin}return {name}"
    return replace(whole, content=text)


def _name_value(given: cst.CSTNode, function: str) -> str:
    """The name that is returned, or one that the function does not use."""
    if isinstance(given, cst.Name):
        return given.value
    return next((name for name in _NAMES if name not in function), "")


def _list_tensors(name: str, value: Value) -> str:
    """The tensors of a value that is known in full, as a tuple; "" where there is more to it."""
    if not isinstance(value, Items) or not value.items or value.kind not in ("dict", *_LISTS):
        return ""
    kinds = {_tell_kind(each) for each in value.items}
    if kinds == {"tensor"} and value.kind == "tuple":
        return ""
    over = f"{name}.values()" if value.kind == "dict" else name
    if not kinds <= {"tensor", "none"} or "tensor" not in kinds:
        return ""
    if "none" in kinds:
        return f"tuple(each for each in {over} if each is not None)"
    return f"tuple({over})"


def _tell_kind(value: Value) -> str:
    if value == Constant(None):
        return "none"
    if isinstance(value, Items) and value.kind in _LISTS and value.items:
        return "tensor" if {_tell_kind(each) for each in value.items} == {"tensor"} else ""
    return "tensor" if isinstance(value, (Tensor, Unknown)) else ""
