"""LT828: whole numbers that an operation in place would make floats."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Combined
from lintorch.evaluator.values import NONE, Array, Constant, External, Number, Tensor, Value
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT828",
    summary="whole numbers that an operation in place would make floats",
    why="""
        What is written in place keeps its type. `image /= 255` of bytes, and `counts *= 0.5` of whole numbers,
        have no room for the result: torch raises that Float cannot be cast to Byte or Long, NumPy that it cannot
        cast with the rule same_kind. Convert first, or work out of place: `image = image / 255`.
        Measured on torch 2.13 and NumPy 2.
    """,
    bad="""
        import torch


        def scale(image):
            image = image.to(torch.uint8)
            image /= 255
            return image
    """,
    good="""
        import torch


        def scale(image):
            image = image.to(torch.uint8)
            image = image / 255
            return image
    """,
    remedy="write x = x / 255, or convert first: x = x.float()",
    proof="""
        assert abs(scale(torch.tensor([51])).item() - 0.2) < 1e-6
    """,
    severity=Severity.ERROR,
)

OPERATORS = {"Div": "/=", "Mult": "*=", "Add": "+=", "Sub": "-="}
METHODS = {f"torch.Tensor.{name}_": name for name in ("div", "true_divide", "mul", "add", "sub")}


@rule.event(Combined)
def in_assignment(event: Combined, source: Source) -> Iterator[Hit]:
    """`image /= 255`, `counts *= 0.5`."""
    sign = OPERATORS.get(event.operator, "") if event.inplace else ""
    kind = find_whole(event.left, source)
    if sign and kind and (event.operator == "Div" or is_float(event.right)):
        node = source.node_at(event, cst.AugAssign)
        yield Hit(
            node or event, f"{sign} of {kind} gives a float, which has no room there: it raises"
        )


@rule.event(*METHODS)
def in_call(event: Called, source: Source) -> Iterator[Hit]:
    """`counts.div_(2)`."""
    name, given = METHODS[event.name], [*event.positional, None, None]
    held, other = given[0], given[1] or event.keyword.get("other")
    rounded = event.keyword.get("rounding_mode", NONE) != NONE
    kind = find_whole(held, source)
    divides = name in ("div", "true_divide") and not rounded
    if kind and not event.open and (divides or (other is not None and is_float(other))):
        yield Hit(event, f"{name}_() of {kind} gives a float, which has no room there: it raises")


def find_whole(value: Value | None, source: Source) -> str:
    """The type of whole numbers that a tensor or array surely holds; "" of all else."""
    if isinstance(value, Tensor) and (not value.sure or value.origin == "input"):
        return ""
    made = source.evaluation.ways.find_maker(value) if isinstance(value, Tensor) else None
    if isinstance(made, Called) and "out" in made.keyword:
        return ""  # of the type of what it is written to
    if isinstance(value, (Tensor, Array)) and value.dtype is not None:
        return value.dtype if value.dtype.startswith(("int", "uint")) else ""
    called = source.evaluation.ways.find_unknown_maker(value) if value is not None else None
    if called is None:
        return ""
    if called.method in WHOLE and not called.given.values:
        return WHOLE[called.method]
    paths = [each.path for each in called.given.values if isinstance(each, External)]
    asked = next((TYPES[path.rpartition(".")[2]] for path in paths if is_type(path)), "")
    return asked if called.method in ("to", "type", "astype") else ""


WHOLE = {"long": "int64", "int": "int32", "short": "int16", "byte": "uint8"}
TYPES = {**{each: each for each in (*WHOLE.values(), "int8")}, "long": "int64", "int": "int32"}


def is_type(path: str) -> bool:
    home, _, name = path.rpartition(".")
    return home in ("torch", "numpy") and name in TYPES


def is_float(value: Value) -> bool:
    """Whether it surely is a float, or holds them."""
    if isinstance(value, Constant):
        return isinstance(value.value, float)
    if isinstance(value, Number):
        return value.whole is False
    kind = value.dtype if isinstance(value, (Tensor, Array)) else None
    return (
        kind is not None and kind.startswith(("float", "bfloat")) and getattr(value, "sure", True)
    )
