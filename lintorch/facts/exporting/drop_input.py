"""The edits that leave the last input of an export call out: its value, and its name."""

from __future__ import annotations

import libcst as cst

from lintorch.core.finding import Edit
from lintorch.evaluator.events import Called
from lintorch.facts.exporting.mend_arguments import HasText, enclose, find_inputs, find_written
from lintorch.syntax.literals import literal

_BY_NAME = ("dynamic_axes", "dynamic_shapes", "kwargs")


def drop_last_input(event: Called, count: int, source: HasText) -> tuple[Edit, ...]:
    """Of `count` inputs in a tuple that is written in the call; () where that cannot be.

    An input before others cannot go: those after it would move up.
    """
    call = source.call_at(event)
    inputs = find_inputs(call) if call is not None else None
    named = find_written(event, "input_names", source)
    if call is None or any(arg.keyword and arg.keyword.value in _BY_NAME for arg in call.args):
        return ()
    if not isinstance(inputs, cst.Tuple) or not isinstance(named, (cst.List, cst.Tuple)):
        return ()
    starred = any(isinstance(each, cst.StarredElement) for each in inputs.elements)
    names = literal(named)
    if starred or count < 2 or len(inputs.elements) != count or len(names or ()) != count:
        return ()
    values = _cut(inputs, source)
    return (
        source.replace(inputs, enclose(inputs, values + "," * (count == 2))),
        source.replace(named, _bracket(named, _cut(named, source), count)),
    )


def _cut(node: cst.Tuple | cst.List, source: HasText) -> str:
    return ", ".join(source.code(each.value) for each in node.elements[:-1])


def _bracket(node: cst.Tuple | cst.List, inner: str, count: int) -> str:
    if isinstance(node, cst.List):
        return f"[{inner}]"
    return enclose(node, inner + "," * (count == 2))
