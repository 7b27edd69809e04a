"""Rows that are added where several may go to one place, as an operator that adds them all.

zeros.index_add(0, index, rows)      zeros.scatter_add(0, index[:, None].expand_as(rows), rows)

Measured on torch 2.13: the same bits in eager mode; the legacy ONNX exporter keeps one of the rows
that an `index_add` sends to one place, and all of a `scatter_add`, from opset 16 on.
"""

from __future__ import annotations

import libcst as cst

from lintorch.core.finding import Applicability, Fix
from lintorch.evaluator.events import Called
from lintorch.evaluator.values import Constant, Tensor
from lintorch.facts.exporting.cast_operands import PLAIN, HasCalls, write_tight

FIRST_ADDED = 16
"""The opset from which on ONNX adds up what is scattered to one place."""


def scatter_places(event: Called, source: HasCalls) -> Fix | None:
    """`scatter_add` for an `index_add` of rows that a name or an attribute holds."""
    call = source.call_at(event)
    if call is None or not isinstance(call.func, cst.Attribute):
        return None
    args = call.args[-3:]
    count = 3 if event.name.startswith("torch.Tensor.") else 4
    if len(call.args) != count or any(each.star or each.keyword for each in call.args):
        return None
    index, rows = args[1].value, args[2].value
    behind = _count_behind(event)
    if behind is None or not isinstance(rows, PLAIN):
        return None
    place = write_tight(index, source)
    spread = f"{place}[{', '.join((':', *['None'] * behind))}]" if behind else place
    name = call.func.attr.value.replace("index_add", "scatter_add")
    new = f"{spread}.expand_as({source.code(rows)})"
    edits = source.replace(call.func.attr, name), source.replace(index, new)
    return Fix(f"write {name} of {new}", edits, Applicability.UNSAFE)


def _count_behind(event: Called) -> int | None:
    """The axes behind the one along which rows are added; None where that is not known."""
    dim = event.arguments.get("dim")
    place = dim.value if isinstance(dim, Constant) else None
    if not isinstance(place, int):
        return None
    if place < 0:
        return -place - 1
    rows = event.arguments.get("source")
    shape = rows.shape if isinstance(rows, Tensor) and rows.sure else None
    return len(shape) - 1 - place if shape else None
