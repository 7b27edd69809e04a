"""Edits of an export call: something else in the place of its model or its inputs."""

from __future__ import annotations

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix
from lintorch.evaluator.events import Called
from lintorch.facts.exporting.mend_arguments import HasText, enclose, find_inputs


def find_first(call: cst.Call | None) -> cst.BaseExpression | None:
    """What stands in the place of the model."""
    first = call.args[0] if call is not None and call.args else None
    return first.value if first is not None and first.keyword is None and not first.star else None


def take_owner(event: Called, method: str, source: HasText) -> Fix | None:
    """`model` for `model.forward`, and `model.eval()` for `model.eval`."""
    node = find_first(source.call_at(event))
    if not isinstance(node, cst.Attribute):
        return None
    text = source.code(node) + "()" if method == "eval" else source.code(node.value)
    return Fix(f"write {text}", (source.replace(node, text),), Applicability.UNSAFE)


def take_model(event: Called, source: HasText) -> Fix | None:
    """`model` for `model(image)`, where that is written in the call."""
    node = find_first(source.call_at(event))
    if not isinstance(node, cst.Call) or not isinstance(node.func, (cst.Name, cst.Attribute)):
        return None
    edit = source.replace(node, source.code(node.func))
    return Fix("give the model itself", (edit,), Applicability.UNSAFE)


def exchange(event: Called, source: HasText) -> Fix | None:
    """The first two arguments the other way round."""
    call = source.call_at(event)
    first, second = find_first(call), find_inputs(call) if call is not None else None
    if first is None or second is None or first is second:
        return None
    edits = (
        source.replace(first, source.code(second)),
        source.replace(second, source.code(first)),
    )
    return Fix("give the model first", edits, Applicability.UNSAFE)


def gather(event: Called, source: HasText) -> Fix | None:
    """`(x, mask)` for `x, mask`."""
    call = source.call_at(event)
    args = [arg for arg in call.args if arg.keyword is None] if call is not None else []
    if len(args) != len(event.positional) or any(arg.star for arg in args):
        return None
    start = source.replace(args[1].value, "").start
    end = source.replace(args[-1].value, "").end
    text = ", ".join(source.code(arg.value) for arg in args[1:])
    return Fix("give one tuple", (Edit(start, end, f"({text})"),), Applicability.UNSAFE)


def put_last(call: cst.Call | None, source: HasText, place: int = 1) -> Fix | None:
    """An argument and the next one the other way round."""
    pair = call.args[place : place + 2] if call is not None else ()
    if len(pair) < 2 or any(arg.keyword or arg.star for arg in pair):
        return None
    first, second = (arg.value for arg in pair)
    edits = (
        source.replace(first, source.code(second)),
        source.replace(second, source.code(first)),
    )
    return Fix("give the path last", edits, Applicability.UNSAFE)


def put_keyword(event: Called, name: str, source: HasText) -> Fix | None:
    """The second argument by a name."""
    call = source.call_at(event)
    node = find_inputs(call) if call is not None else None
    if node is None:
        return None
    edit = source.replace(node, f"{name}={source.code(node)}")
    return Fix(f"give {name}", (edit,), Applicability.UNSAFE)


def drop_inputs(event: Called, count: int, source: HasText) -> Fix | None:
    """The first inputs of a tuple that is written in the call; `(x,)` of `(x, mask)`."""
    call = source.call_at(event)
    node = find_inputs(call) if call is not None else None
    if not isinstance(node, cst.Tuple) or not count:
        return None
    if any(not isinstance(each, cst.Element) for each in node.elements):
        return None
    texts = [source.code(each.value) for each in node.elements[:count]]
    inner = ", ".join(texts) + "," * (count == 1)
    edit = source.replace(node, enclose(node, inner))
    return Fix("give what forward takes", (edit,), Applicability.UNSAFE)


def split_keywords(event: Called, source: HasText) -> Fix | None:
    """`(x,), {"mask": mask}` for `(x, {"mask": mask})`."""
    call = source.call_at(event)
    node = find_inputs(call) if call is not None else None
    if not isinstance(node, cst.Tuple) or call is None or len(call.args) < 2:
        return None
    if call.args[1].value is not node:
        return None
    texts = [source.code(each.value) for each in node.elements]
    inner = ", ".join(texts[:-1]) + ("," if len(texts) == 2 else "")
    text = enclose(node, inner)
    if node.lpar:
        return None if not inner else _split_enclosed(node, texts, source)
    edit = source.replace(node, f"{text}, kwargs={texts[-1]}")
    return Fix("give inputs by name as kwargs", (edit,), Applicability.UNSAFE)


def _split_enclosed(node: cst.Tuple, texts: list[str], source: HasText) -> Fix | None:
    """The same where the brackets of the tuple are its own."""
    inner = ", ".join(texts[:-1]) + ("," if len(texts) == 2 else "")
    edit = source.replace(node, inner)
    closed = Edit(edit.start - 1, edit.end + 1, f"({inner}), kwargs={texts[-1]}")
    return Fix("give inputs by name as kwargs", (closed,), Applicability.UNSAFE)
