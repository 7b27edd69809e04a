"""LT613: a name that torch.nn.Module does not take."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.core.torch_methods import MODULE_METHODS
from lintorch.evaluator.events import Called, ItemSet
from lintorch.evaluator.given_arguments import read_keys
from lintorch.evaluator.values import Constant, Items, Value
from lintorch.source import Source, literal

rule = Rule(
    __name__,
    code="LT613",
    summary="a name that a module does not take",
    why="""
        Names of layers, buffers and parameters are parts of the dotted keys of `state_dict()`, so
        that none may have a dot in it, or be empty: `add_module("norm.1", ...)`, with which torch
        0.3 wrote its DenseNet, raises KeyError since, and so does everything that was copied from
        there. A ModuleDict or ParameterDict takes no key either under which it has a method
        (`"type"`, `"keys"`). Weights that were saved under the old names need theirs changed, too.
        Measured on torch 2.13.
    """,
    bad="""
        from torch import nn


        class Dense(nn.Sequential):
            def __init__(self, channels):
                super().__init__()
                self.add_module("norm.1", nn.BatchNorm2d(channels))


        layer = Dense(8)
    """,
    good="""
        from torch import nn


        class Dense(nn.Sequential):
            def __init__(self, channels):
                super().__init__()
                self.add_module("norm1", nn.BatchNorm2d(channels))


        layer = Dense(8)
    """,
    remedy="give it a name without a dot, which no method has",
    proof="""
        assert layer
    """,
    severity=Severity.ERROR,
    fix=Applicability.UNSAFE,
)

_NAMED = ("add_module", "register_module", "register_buffer", "register_parameter")
_KINDS = ("Module", "Sequential", "ModuleList", "ModuleDict")
_DICTS = {
    "torch.nn.ModuleDict": ("modules", MODULE_METHODS | {"clear", "items", "keys", "pop", "update", "values", "training"}),
    "torch.nn.ParameterDict": ("parameters", MODULE_METHODS | {"clear", "copy", "fromkeys", "get", "items", "keys", "pop", "popitem", "setdefault", "update", "values", "training"}),
}  # fmt: skip
_DOTTED = "names with dots"
_GIVEN = rf"\b(?:{'|'.join(_NAMED)})\(\s*"
_FORMAT = re.compile(r"%[-+# 0]*\d*(?:\.\d+)?[a-zA-Z]|\{[^}]*\}")


@rule.event(*(f"torch.nn.{kind}.{name}" for kind in _KINDS for name in _NAMED))
def in_call(event: Called, source: Source) -> Iterator[Hit]:
    """`self.add_module("norm.1", layer)`."""
    call = source.call_at(event)
    given = next(iter(event.positional[1:]), event.keyword.get("name"))
    name = given.value if isinstance(given, Constant) else None
    written = next((a.value for a in call.args if not a.star), None) if call is not None else None
    why = _refuse(name) if isinstance(name, str) else _refuse(_read_pattern(written), open=True)
    if why and not _is_tried(call, source):
        yield Hit(event, f"{why}: KeyError", _write_plain(written, source), cause=_DOTTED)


@rule.event("torch.nn.Sequential", *_DICTS)
def in_dictionary(event: Called, source: Source) -> Iterator[Hit]:
    """`nn.ModuleDict({"type": layer})`."""
    key, taken = _DICTS.get(event.name, ("", frozenset[str]()))
    given = event.arguments.get(key) if key else next(iter(event.positional), None)
    if not isinstance(given, Items) or given.kind != "dict":
        return
    call = source.call_at(event)
    for name in read_keys(given):
        why = _refuse(name, taken) if isinstance(name, str) else ""
        if why and not _is_tried(call, source):
            yield Hit(event, f"{why}: KeyError")
            return


@rule.event(ItemSet)
def in_item(event: ItemSet, source: Source) -> Iterator[Hit]:
    """`self.heads["a.b"] = layer`."""
    name = event.index.value if isinstance(event.index, Constant) else None
    kind = _name_kind(event.held)
    if kind in _DICTS and isinstance(name, str) and (why := _refuse(name, _DICTS[kind][1])):
        yield Hit(event, f"{why}: KeyError")


def _is_tried(call: cst.Call | None, source: Source) -> bool:
    """Whether what a call raises may be caught."""
    return call is not None and any(isinstance(each, cst.Try) for each in source.ancestors(call))


def _name_kind(value: Value) -> str:
    return getattr(getattr(value, "of", value), "path", "")


def _refuse(name: str, taken: frozenset[str] = frozenset(), open: bool = False) -> str:
    """Why a module takes no such name; empty where it does, or where `open` parts of it decide."""
    if not name and not open:
        return "a name of a module's parts may not be empty"
    if "." in name:
        return f"`{name}` has a dot, which names of a module's parts may not have"
    return f"`{name}` is a method of the container itself" if name in taken else ""


def _read_pattern(node: cst.BaseExpression | None) -> str:
    """The letters of `"norm.%d" % n` and of f"norm.{n}" that stand there whatever `n` is."""
    if isinstance(node, cst.FormattedString):
        parts = (e.value for e in node.parts if isinstance(e, cst.FormattedStringText))
        return "".join(parts)
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Modulo):
        said = literal(node.left)
        return _FORMAT.sub("", said) if isinstance(said, str) else ""
    return ""


def _write_plain(node: cst.BaseExpression | None, source: Source) -> Fix | None:
    """`"norm1"` for `"norm.1"`, where the file speaks of that name in no other way."""
    said = literal(node) if isinstance(node, cst.SimpleString) else None
    if node is None or not isinstance(said, str) or not said:
        return None
    text, given = source.file.text, re.compile(_GIVEN + rf"""["']{re.escape(said)}["']""")
    if text.count(said) != len(given.findall(text)):
        return None
    plain = re.sub(r"\.(?=\d)", "", said).replace(".", "_")
    new = source.code(node).replace(said, plain)
    return Fix(f"name it {new}", (source.replace(node, new),), Applicability.UNSAFE)
