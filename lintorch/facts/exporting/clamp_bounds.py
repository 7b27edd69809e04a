"""`x.clamp(0, 0.9)`: bounds of two kinds, for which the new ONNX exporter finds no overload. Measured on torch 2.13.

Whichever of them is whole, also where it is a size; both whole, both floats, one alone, and tensors, are right.
"""

from __future__ import annotations

import libcst as cst

from lintorch.core.finding import Fix, Harm
from lintorch.evaluator.events import Called
from lintorch.evaluator.values import Constant, Number, Value
from lintorch.facts.exporting.cast_operands import HasCalls
from lintorch.facts.exporting.mixed_types import Said
from lintorch.facts.models.evaluation import Evaluation

CLAMPS = (
    *(f"torch.{name}" for name in ("clamp", "clip", "clamp_", "clip_")),
    *(f"torch.Tensor.{name}" for name in ("clamp", "clip", "clamp_", "clip_")),
)
BOUNDS = "write both as floats: x.clamp(0.0, 0.9)"


def weigh_bounds(event: Called, evaluation: Evaluation, dynamic: bool) -> Said:
    """Where one is known to be whole and the other to be a float."""
    kinds = {_name_kind(event.arguments.get(name)) for name in ("min", "max")}
    if kinds == {"int", "float"}:
        name = event.name.rpartition(".")[2]
        yield f"{name} between a whole number and a float", {"onnx": Harm.REFUSED}


def _name_kind(value: Value | None) -> str:
    """ "int", "float", or "" of what is neither, or not known."""
    if isinstance(value, Constant):
        plain = type(value.value) in (int, float)
        return type(value.value).__name__ if plain else ""
    if isinstance(value, Number) and not value.truth and value.whole is not None:
        return "int" if value.whole else "float"
    return ""


def write_floats(event: Called, source: HasCalls) -> Fix | None:
    """`x.clamp(0.0, 0.9)`: the result is of floats in any case."""
    call = source.call_at(event)
    args = call.args if call is not None else ()
    whole = [each.value for each in args if isinstance(each.value, cst.Integer)]
    if len(whole) != 1 or not whole[0].value.isdecimal() or any(each.star for each in args):
        return None
    edit = source.replace(whole[0], f"{whole[0].value}.0")
    return Fix(f"write {edit.content}", (edit,))
