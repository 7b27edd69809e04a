"""Arguments of an export call as they would be taken: in a tuple, and with one entry for each tensor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import libcst as cst

from lintorch.core.finding import Edit
from lintorch.evaluator.events import Called, Occurrence
from lintorch.evaluator.given_arguments import name_given
from lintorch.evaluator.values import Items, Tensor, Value
from lintorch.facts.exporting.declared_sizes import DeclaredInput
from lintorch.facts.names.scopes import Binding
from lintorch.syntax.literals import literal


class HasText(Protocol):
    """A file whose calls can be found and edited."""

    def call_at(self, event: Occurrence) -> cst.Call | None:
        """The call of this file at which something happened."""

    def bound(self, name: cst.Name) -> list[Binding]:
        """All bindings of a name in the scope it is looked up in."""

    def code(self, node: cst.CSTNode) -> str:
        """The node's own text."""

    def replace(self, node: cst.CSTNode, content: str) -> Edit:
        """Put `content` in the place of a node."""


def find_written(event: Called, name: str, source: HasText) -> cst.BaseExpression | None:
    """What an argument of a call is written as: in the call, or where its name gets its only value."""
    call = source.call_at(event)
    for arg in call.args if call is not None else ():
        if arg.keyword is not None and arg.keyword.value == name:
            return _follow(arg.value, source)
        if arg.star == "**" and (found := _find_option(_follow(arg.value, source), name)):
            return _follow(found, source)
    return None


def _find_option(options: cst.BaseExpression | None, name: str) -> cst.BaseExpression | None:
    """The value of a key in `{"name": …}` or `dict(name=…)`."""
    if isinstance(options, cst.Dict):
        for each in options.elements:
            if isinstance(each, cst.DictElement) and literal(each.key) == name:
                return each.value
    if isinstance(options, cst.Call) and isinstance(options.func, cst.Name):
        is_dict = options.func.value == "dict"
        named = (a for a in options.args if is_dict and a.keyword and a.keyword.value == name)
        return next((arg.value for arg in named), None)
    return None


def _follow(node: cst.BaseExpression, source: HasText) -> cst.BaseExpression | None:
    if not isinstance(node, cst.Name):
        return node
    bindings = source.bound(node)
    only = bindings[0] if len(bindings) == 1 and bindings[0].kind == "assign" else None
    return only.node if only is not None and isinstance(only.node, cst.BaseExpression) else None


def find_inputs(call: cst.Call) -> cst.BaseExpression | None:
    """The second argument, or the one by the name of `args`; None where a star may hold it."""
    if any(arg.star for arg in call.args):
        return None
    named = [arg.value for arg in call.args if arg.keyword and arg.keyword.value == "args"]
    places = [arg.value for arg in call.args if arg.keyword is None]
    return named[0] if named else places[1] if len(places) > 1 else None


def write_tuple(event: Called, source: HasText) -> Edit | None:
    """`(x,)` for `x` and for `[x]`, `tuple(xs)` for a list that is written elsewhere."""
    call = source.call_at(event)
    node = find_inputs(call) if call is not None else None
    if node is None:
        return None
    if isinstance(node, cst.List):
        parts = [source.code(each.value) for each in node.elements]
        return source.replace(node, enclose(node, f"{', '.join(parts)}{',' * (len(parts) == 1)}"))
    if isinstance(name_given(event).get("args"), Items):
        return source.replace(node, f"tuple({source.code(node)})")
    return source.replace(node, enclose(node, f"{source.code(node)},"))


def enclose(node: cst.BaseExpression, inner: str) -> str:
    """What a tuple holds in brackets, where the node that it replaces stands in none."""
    return inner if node.lpar else f"({inner})"


def nest_entry(event: Called, found: DeclaredInput, source: HasText) -> Edit | None:
    """The entry of a list once for each of its tensors, where all have one shape."""
    written = find_written(event, "dynamic_shapes", source)
    entries = written.elements if isinstance(written, (cst.Dict, cst.Tuple, cst.List)) else ()
    nodes = [each.value for each in entries if isinstance(each, (cst.DictElement, cst.Element))]
    place = found.place
    if isinstance(written, cst.Dict):
        keys = [literal(e.key) if isinstance(e, cst.DictElement) else None for e in entries]
        place = keys.index(found.name) if found.name in keys else len(nodes)
    if place >= len(nodes) or len(nodes) != len(entries):
        return None
    text = _repeat_entry(found.value, source.code(nodes[place]))
    return source.replace(nodes[place], text) if text is not None else None


def _repeat_entry(value: Value, text: str) -> str | None:
    if not isinstance(value, Items) or value.items is None or value.kind == "dict":
        return None
    shapes = [read_shape(each) for each in value.items]
    if not shapes or any(shape is None or shape != shapes[0] for shape in shapes):
        return None
    inner = ", ".join([text] * len(shapes))
    return f"[{inner}]" if value.kind == "list" else f"({inner}{',' * (len(shapes) == 1)})"


def read_shape(value: Value) -> Sequence[object] | None:
    """The sizes of a tensor, where it surely is one and they are known."""
    return value.shape if isinstance(value, Tensor) and value.sure else None


def list_texts(node: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    """The texts in a mapping or sequence that are values, and not keys."""
    if isinstance(node, cst.SimpleString):
        yield node
    for each in node.elements if isinstance(node, (cst.Dict, cst.Tuple, cst.List)) else ():
        if isinstance(each, (cst.DictElement, cst.Element)):
            yield from list_texts(each.value)
