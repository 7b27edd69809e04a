"""What the legacy exporter takes in place of `torch.diag` and `torch.diag_embed`."""

from __future__ import annotations

import libcst as cst

from lintorch.core.finding import Applicability, Fix
from lintorch.evaluator.events import Called
from lintorch.evaluator.values import Tensor
from lintorch.facts.exporting.spectrum_writes import HasCalls
from lintorch.facts.models.cell_pools import define_above
from lintorch.syntax.literals import literal

SPREAD = "on_diagonal"
_SPREAD = '''def on_diagonal(x):
    """`torch.diag_embed(x)`, in operators that every exporter has."""
    off = {eye}(x.shape[-1], device=x.device) == 0
    return x.unsqueeze(-1).masked_fill(off, 0)

'''


def write_diagonal(event: Called, source: HasCalls) -> Fix | None:
    """A function for the matrix around a diagonal, `m.diagonal()` for the one of a matrix."""
    name, call = event.name.rpartition(".")[2], source.call_at(event)
    held = event.positional[0] if event.positional else None
    rank = len(held.shape) if isinstance(held, Tensor) and held.shape is not None else 0
    operand = _find_operand(event, call, source)
    if call is None or operand is None or name not in ("diag", "diag_embed"):
        return None
    if name == "diag" and rank == 2:
        text = f"{_enclose(operand, source)}.diagonal()"
        edit = source.replace(call, text)  # a view, where diag gives a copy
        return Fix(f"write {text}", (edit,), Applicability.UNSAFE)
    if name == "diag" and rank != 1:
        return None
    asked = {"eye": "torch.eye"}
    edits = define_above(
        SPREAD, asked, lambda s: _SPREAD.format(**s), source.file, call, source.reach
    )
    if edits is None:
        return None
    text = f"{SPREAD}({source.code(operand)})"
    return Fix(f"write {text}", (source.replace(call, text), *edits))


def _find_operand(
    event: Called, call: cst.Call | None, source: HasCalls
) -> cst.BaseExpression | None:
    """What the call is given, where it asks for the main diagonal."""
    if call is None or any(arg.star or arg.keyword for arg in call.args):
        return None
    given = [arg.value for arg in call.args]
    if event.name.startswith("torch.Tensor.") and isinstance(call.func, cst.Attribute):
        given.insert(0, call.func.value)
    elif source.name(call.func) != event.name:
        return None
    plain = len(given) == 1 or (len(given) == 2 and literal(given[1]) == 0)
    return given[0] if plain else None


def _enclose(operand: cst.BaseExpression, source: HasCalls) -> str:
    """As it may stand before a dot."""
    plain = isinstance(operand, (cst.Name, cst.Attribute, cst.Subscript, cst.Call))
    return source.code(operand) if plain or operand.lpar else f"({source.code(operand)})"
