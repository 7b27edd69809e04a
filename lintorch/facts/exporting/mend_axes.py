"""Axes as ONNX takes them: squeezes, the ellipsis of an einsum, and repeats by a size.

x.squeeze(1)                                x                        of three channels
x.squeeze((2, 3))                           x.squeeze(3).squeeze(2)
einsum("...id,...jd->...ij", x, weight)     einsum("...id,jd->...ij", x, weight)
x.repeat_interleave(n, dim=1)               x.unsqueeze(2).expand(-1, -1, n, -1).flatten(1, 2)

Measured on torch 2.13: the same bits and gradients in eager mode at several sizes.
"""

from __future__ import annotations

import libcst as cst

from lintorch.core.finding import Fix
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import read_plain
from lintorch.evaluator.values import Tensor, Value
from lintorch.facts.exporting.einsum_calls import HasCalls, list_operands, write_held
from lintorch.syntax.literals import arguments, literal


def write_squeeze(event: Called, source: HasCalls) -> Fix | None:
    """The tensor itself, or one squeeze behind the other; of literal axes that count from one end."""
    held, given = _split(event, ("dim",), source)
    call, axis = source.call_at(event), given.get("dim")
    axes = literal(axis) if axis is not None else None
    if held is None or call is None or event.name.endswith("_"):
        return None
    if isinstance(axes, int):
        return Fix("leave the squeeze out", (source.replace(call, source.code(held)),))
    whole = isinstance(axes, (tuple, list)) and all(type(each) is int for each in axes)
    if not axes or not whole or len({each < 0 for each in axes}) != 1:
        return None
    ordered = sorted(axes, reverse=axes[0] >= 0)
    text = write_held(held, source) + "".join(f".squeeze({each})" for each in ordered)
    return Fix(f"write {text}", (source.replace(call, text),))


def write_axes(event: Called, source: HasCalls) -> Fix | None:
    """The ellipsis of operands that have such axes alone."""
    call = source.call_at(event)
    given = list_operands(call) if call is not None else None
    equation = given[0] if given else None
    said = literal(equation)
    if not isinstance(equation, cst.SimpleString) or not isinstance(said, str) or "'" in said:
        return None
    terms, arrow, output = said.partition("->")
    written = terms.split(",")
    operands = event.positional[1:]
    if len(written) != len(operands) or not arrow:
        return None
    kept = [
        term.replace("...", "") if _has_no_more(term, value) else term
        for term, value in zip(written, operands, strict=True)
    ]
    counts = {_count_more(t, v) for t, v in zip(kept, operands, strict=True) if "..." in t}
    if kept == written or len(counts) != 1:
        return None
    quote = equation.quote
    text = f"{equation.prefix}{quote}{','.join(kept)}{arrow}{output}{quote}"
    return Fix(f"write {text}", (source.replace(equation, text),))


def write_repeats(event: Called, source: HasCalls) -> Fix | None:
    """Copies along a further axis, which is then joined with the one before it."""
    held, given = _split(event, ("repeats", "dim"), source)
    call = source.call_at(event)
    tensor = event.arguments.get("self", event.arguments.get("input"))
    shape = tensor.shape if isinstance(tensor, Tensor) and tensor.sure else None
    axis = read_plain(event.arguments.get("dim"))
    many = given.get("repeats")
    if held is None or call is None or many is None or shape is None or not isinstance(axis, int):
        return None
    axis = axis % len(shape)
    sizes = ["-1"] * (len(shape) + 1)
    sizes[axis + 1] = source.code(many)
    text = f"{write_held(held, source)}.unsqueeze({axis + 1}).expand({', '.join(sizes)})"
    text += f".flatten({axis}, {axis + 1})"
    return Fix(f"write {text}", (source.replace(call, text),))


def _split(
    event: Called, names: tuple[str, ...], source: HasCalls
) -> tuple[cst.BaseExpression | None, dict[str, cst.BaseExpression]]:
    """The tensor and the arguments of `x.squeeze(1)`, `torch.squeeze(x, dim=1)`, as they are written."""
    call, method = source.call_at(event), event.name.rpartition(".")[2]
    if call is None:
        return None, {}
    bound = event.name.startswith("torch.Tensor.")
    read = arguments(call, *(names if bound else ("input", *names)))
    given = {name: arg.value for name, arg in read.by_name.items()}
    held = given.pop("input", None)
    if bound:
        func = call.func
        named = isinstance(func, cst.Attribute) and func.attr.value == method
        held = func.value if named and isinstance(func, cst.Attribute) else None
    whole = read.complete and set(given) <= set(names)
    return (held, given) if whole else (None, {})


def _count_more(term: str, value: Value) -> int | None:
    """How many axes stand below an ellipsis."""
    shape = value.shape if isinstance(value, Tensor) else None
    return None if shape is None else len(shape) - len(term.replace("...", "").replace(" ", ""))


def _has_no_more(term: str, value: Value) -> bool:
    return "..." in term and _count_more(term, value) == 0
