"""Axes that ONNX asks more of than torch does: of a squeeze, and of an ellipsis in einsum. Measured on torch 2.13."""

from __future__ import annotations

from collections.abc import Iterator

from lintorch.core.finding import Harm
from lintorch.evaluator.events import Called
from lintorch.evaluator.values import Constant, Items, Tensor, Value

_LEGACY, _NEW = "onnx-legacy", "onnx"
NO_SQUEEZE = "leave the squeeze out: it does nothing"
"""What to write for a squeeze of an axis that is longer than 1."""
ONE_BY_ONE = "squeeze one axis after another: x.squeeze(3).squeeze(2)"
ONE_ELLIPSIS = 'write the ellipsis of the operand that has these axes alone: "...id,jd->...ij"'


def weigh_squeeze(event: Called) -> Iterator[tuple[str, dict[str, Harm]]]:
    """`x.squeeze(1)` of three channels, which torch leaves as it is; `x.squeeze((2, 3))`."""
    held = event.arguments.get("input", event.arguments.get("self"))
    axis = event.arguments.get("dim")
    listed = _list_axes(axis)
    if len(listed) > 1:
        told = "squeeze of several axes has no translation in the legacy exporter"
        yield told, {_LEGACY: Harm.REFUSED}
    axis = listed[0] if len(listed) == 1 else None
    shape = held.shape if isinstance(held, Tensor) and held.sure and not held.guessed else None
    place = axis.value if isinstance(axis, Constant) else None
    if shape is None or not isinstance(place, int) or not -len(shape) <= place < len(shape):
        return
    size = shape[place]
    if isinstance(size, int) and size > 1:
        yield (
            f"squeeze of an axis of {size} is written, and ONNX Runtime refuses it",
            {_NEW: Harm.FAILS},
        )


def _list_axes(given: Value | None) -> tuple[Value | None, ...]:
    """Axes as they were given: one, several, or a tuple of several."""
    if not isinstance(given, Items):
        return (given,)
    return tuple(axis for each in given.items or () for axis in _list_axes(each))


def weigh_ellipsis(event: Called) -> Iterator[tuple[str, dict[str, Harm]]]:
    """`torch.einsum("...id,...jd->...ij", x, weight)`, where the weight has no further axes."""
    pattern, *operands = event.positional or (None,)
    written = pattern.value if isinstance(pattern, Constant) else None
    terms = written.partition("->")[0].split(",") if isinstance(written, str) else []
    if len(terms) != len(operands):
        return
    counts = {
        len(operand.shape) - len(term.replace("...", "").replace(" ", ""))
        for term, operand in zip(terms, operands, strict=True)
        if "..." in term and isinstance(operand, Tensor) and operand.shape is not None
    }
    if len(counts) > 1:
        told = (
            "an ellipsis stands for axes that only some operands have, which ONNX Runtime refuses"
        )
        yield told, {_NEW: Harm.FAILS, _LEGACY: Harm.FAILS}
