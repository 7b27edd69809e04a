"""Gives torch.jit.trace the tensors of what forward returns, and everybody else what they are used to.

    outputs = {"boxes": boxes, "scores": scores}
    if torch.jit.is_tracing():
        return tuple(outputs.values())
    return outputs

Measured on torch 2.13: torch.export never takes that branch; both tracers do, and the legacy ONNX
exporter writes the same outputs in the same order, with and without it. An object that torch.export
does not know either, as a dataclass, is taken apart there, too: `or torch.compiler.is_exporting()`. What is
not known in full, or nested deeper, is taken apart by `list_tensors`, a function of the file.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix
from lintorch.core.profile import Profile
from lintorch.evaluator.objects import list_ancestors
from lintorch.evaluator.output_objects import is_output
from lintorch.evaluator.values import (
    Class,
    Constant,
    External,
    Held,
    Items,
    Tensor,
    Unknown,
    Value,
)
from lintorch.facts.exporting.returned_values import DATACLASS, DICTS, may_be_registered
from lintorch.facts.models.cell_pools import define_above
from lintorch.syntax.edits import indent_below, read_margin
from lintorch.syntax.parsed_file import ParsedFile

_LEFT_OUT = ("none", "plain")
_NAMES = ("outputs", "result", "returned")
_LISTS = ("list", "tuple")
_MAPPINGS = (*DICTS, "collections.UserDict")
_TRACING, _EXPORTING = "torch.jit.is_tracing", "torch.compiler.is_exporting"
_EXPORTING_SINCE = (2, 7)
_HELPER = "list_tensors"
_APART = '''def list_tensors(value):
    """The tensors in nested tuples, lists and dicts, in order, as a tuple."""
    if isinstance(value, {tensor}):
        return (value,)
    parts = value.values() if isinstance(value, dict) else value
    nested = isinstance(value, (dict, list, tuple))
    return tuple(one for part in parts for one in list_tensors(part)) if nested else ()

'''


class HasReturns(Protocol):
    """A file whose statements can be found and edited."""

    text: str
    profile: Profile
    file: ParsedFile

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
    """For all `return`s of a forward, each of its own line, of dicts of tensors, of what holds None, and of
    dataclasses and mappings; a `return` of tensors alone stays."""
    odd = [(node, value) for node, value in given if not _is_plain(value)]
    if not odd:
        return None
    asked, imports = source.reach(_TRACING, odd[0][0])
    test = f"{asked}()"
    if any(_is_strange(value) for _, value in odd):
        more, imported = source.reach(_EXPORTING, odd[0][0])
        if not more or source.profile.torch < _EXPORTING_SINCE:
            return None
        test, imports = f"{test} or {more}()", (*imports, *imported)
    edits = [_mend_return(node, value, test, source) for node, value in odd]
    if not asked or not all(edits):
        return None
    if any(f"{_HELPER}(" in each.content for each in edits if each):
        defined = _define_helper(odd[0][0], source)
        if defined is None:
            return None
        imports = (*imports, *defined)
    told = "return the tensors alone while torch.jit traces"
    return Fix(told, (*filter(None, edits), *dict.fromkeys(imports)), Applicability.UNSAFE)


def _define_helper(use: cst.CSTNode, source: HasReturns) -> tuple[Edit, ...] | None:
    def write(spelled: Mapping[str, str]) -> str:
        return _APART.format(**spelled)

    return define_above(_HELPER, {"tensor": "torch.Tensor"}, write, source.file, use, source.reach)


def _is_plain(value: Value) -> bool:
    """Whether a tracer takes it as it is."""
    if isinstance(value, Items):
        return value.kind == "tuple" and bool(value.items) and all(map(_is_plain, value.items or ()))  # fmt: skip
    return isinstance(value, Tensor)


def _is_strange(value: Value) -> bool:
    """Whether torch.export does not take it either."""
    if not isinstance(value, Held):
        return False
    known = isinstance(value.of, Class) and may_be_registered(value.of)
    return not known and not is_output(value.of)


def _mend_return(node: cst.CSTNode, value: Value, test: str, source: HasReturns) -> Edit | None:
    line, inside = source.parent(node), source.enclosing(node, cst.FunctionDef)
    if not isinstance(line, cst.Return) or inside is None or _TRACING in source.code(inside):
        return None
    whole = source.replace(line, "")
    margin = read_margin(source.text, whole.start)
    name = _name_value(node, source.code(inside))
    tensors = _list_tensors(name, value) or (f"{_HELPER}({name})" if _may_nest(value) else "")
    if margin.strip() or not name or not tensors:
        return None
    given = source.text[whole.start : whole.end].removeprefix("return").strip()
    begin = "" if isinstance(node, cst.Name) else f"{name} = {given}\n{margin}"
    text = f"{begin}if {test}:\n{indent_below(margin)}return {tensors}\n{margin}return {name}"
    return replace(whole, content=text)


def _may_nest(value: Value) -> bool:
    """Whether tensors may stand in it, in tuples, lists and dicts that are nested as nobody knows."""
    if isinstance(value, Items):
        return value.items is None or any(_may_nest(each) for each in value.items)
    return isinstance(value, (Tensor, Unknown))


def _name_value(given: cst.CSTNode, function: str) -> str:
    """The name that is returned, or one that the function does not use."""
    if isinstance(given, cst.Name):
        return given.value
    return next((name for name in _NAMES if name not in function), "")


def _list_tensors(name: str, value: Value) -> str:
    """The tensors of a value that is known in full, as a tuple; "" where there is more to it."""
    if isinstance(value, Held):
        return _list_of_object(name, value)
    if not isinstance(value, Items) or not value.items or value.kind not in ("dict", *_LISTS):
        return ""
    kinds = {_tell_kind(each) for each in value.items}
    if kinds == {"tensor"} and value.kind == "tuple":
        return ""
    if kinds & {"dict", "plain"}:
        return _list_nested(name, value)
    over = f"{name}.values()" if value.kind == "dict" else name
    if not kinds <= {"tensor", "none"} or "tensor" not in kinds:
        return ""
    if "none" in kinds:
        return f"tuple(each for each in {over} if each is not None)"
    return f"tuple({over})"


def _list_nested(name: str, value: Items) -> str:
    """`(outputs[0], *outputs[1].values())`, of a tuple that holds dicts of tensors, or numbers and text."""
    items = value.items or ()
    kinds = [_tell_kind(each) for each in items]
    filled = (each for each in items if not isinstance(each, Items) or each.items)
    if value.kind not in _LISTS or not set(kinds) <= {"tensor", "dict", *_LEFT_OUT}:
        return ""
    if all(_tell_kind(each) in _LEFT_OUT for each in filled):
        return ""
    parts = [
        f"{name}[{i}]" if kind == "tensor" else f"*{name}[{i}].values()"
        for i, kind in enumerate(kinds)
        if kind not in _LEFT_OUT
    ]
    return f"({', '.join(parts)})" if len(parts) > 1 else f"({parts[0]},)"


def _list_of_object(name: str, value: Held) -> str:
    """The tensors of a dataclass of tensors, of a mapping, or of an output of transformers and its kin."""
    if is_output(value.of):
        return f"{name}.to_tuple()"
    if any(each in _MAPPINGS for each in _list_foreign(value)):
        return f"tuple({name}.values())"
    if isinstance(value.of, Class) and _holds_tensors(value.of):
        return f"tuple(each for each in vars({name}).values() if each is not None)"
    return ""


def _list_foreign(value: Held) -> list[str]:
    return [each.path for each in list_ancestors(value.of) if isinstance(each, External)]


def _holds_tensors(kind: Class) -> bool:
    """Whether it is a dataclass without a base, all attributes of which are tensors or may be None."""
    if any(isinstance(e, ast.FunctionDef) and e.name == "__post_init__" for e in kind.node.body):
        return False
    made = [ast.unparse(each) for each in kind.node.decorator_list]
    notes = [ast.unparse(each.annotation) for each in kind.node.body if isinstance(each, ast.AnnAssign)]  # fmt: skip
    plain = not kind.bases and len(made) == 1 and made[0].partition("(")[0] in DATACLASS
    whole = all(re.fullmatch(_FIELD, each) for each in notes)
    return plain and bool(notes) and whole and "slots" not in made[0]


_FIELD = r"""['"]?(?:\w+\.)*(?:(?:Float|Long|Bool)?Tensor(?: \| None)?|Optional\[(?:\w+\.)*(?:Float|Long|Bool)?Tensor\])['"]?"""


def _tell_kind(value: Value) -> str:
    if isinstance(value, Constant):
        may_be_size = type(value.value) is int and value.value > 0  # which a tracer follows
        return "none" if value.value is None else "" if may_be_size else "plain"
    kinds = {_tell_kind(each) for each in value.items or ()} if isinstance(value, Items) else set()
    if isinstance(value, Items) and value.kind == "dict" and value.items is not None:
        return "dict" if kinds <= {"tensor"} else ""
    if isinstance(value, Items) and value.kind in _LISTS and value.items:
        return "tensor" if kinds == {"tensor"} else ""
    return "tensor" if isinstance(value, (Tensor, Unknown)) else ""
