"""LT823: the root of a squared distance that was worked out by products."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit
from lintorch.core.rule import Rule
from lintorch.facts.classes.written_once import find_written
from lintorch.source import Source, literal

rule = Rule(
    __name__,
    code="LT823",
    summary="a root of a squared distance that may come out negative",
    why="""
        `|a|² + |b|² - 2ab` is no distance below zero on paper. In float32 it is, by rounding, wherever two points
        are close: of 32 random points of 16 numbers, 8 of the 32 on the diagonal come out negative, and their
        roots are NaN, which one mean carries into all weights. A small number that is added does not help where
        the points are large. `torch.cdist(a, b)` gives none below zero, and its gradient at zero is 0.
        Measured on torch 2.13.
    """,
    bad="""
        import torch


        def distances(a, b):
            squares = (a * a).sum(1, keepdim=True) + (b * b).sum(1) - 2 * a @ b.t()
            return torch.sqrt(squares)
    """,
    good="""
        import torch


        def distances(a, b):
            squares = (a * a).sum(1, keepdim=True) + (b * b).sum(1) - 2 * a @ b.t()
            return torch.sqrt(squares.clamp(min=1e-12))
    """,
    remedy="write torch.cdist(a, b), or clamp(min=1e-12) under the root",
    proof="""
        torch.manual_seed(0)
        points = torch.randn(32, 16)
        assert distances(points, points).isfinite().all()
    """,
)

_PRODUCTS = ("mm", "bmm", "matmul", "einsum")
_RAISED = r"(clamp|relu|clip|abs|fill_diagonal)\w*\(|nan_to_num"
_DEEPEST = 6


@rule.source(cst.Call, needs=("sqrt",))
def in_roots(call: cst.Call, source: Source) -> Iterator[Hit]:
    func, name = call.func, source.name(call.func)
    under: cst.BaseExpression | None = None
    if name in ("torch.sqrt", "torch.Tensor.sqrt"):
        under = call.args[0].value if call.args else None
    elif isinstance(func, cst.Attribute) and func.attr.value in ("sqrt", "sqrt_"):
        under = func.value if not call.args else None
    if under is not None and is_distance(under, source):
        yield Hit(call, "the squares differ by less than they are rounded: the root may be NaN")


@rule.source(cst.BinaryOperation, needs=("0.5",))
def in_powers(node: cst.BinaryOperation, source: Source) -> Iterator[Hit]:
    half = literal(find_written(node.right, source)) == 0.5
    if isinstance(node.operator, cst.Power) and half and is_distance(node.left, source):
        yield Hit(node, "the squares differ by less than they are rounded: the power may be NaN")


def is_distance(under: cst.BaseExpression, source: Source) -> bool:
    """`a + b - 2 * x @ y`, by its name too, where nothing lifts it; `2 - 2 * x @ y` of unit vectors."""
    if isinstance(under, cst.Name) and is_lifted(under, source):
        return False
    terms = [*list_terms(find_written(under, source), False, source)]
    less = [each for each, taken in terms if taken]
    more = [each for each, taken in terms if not taken]
    if len(less) != 1 or not (len(more) == 2 or is_two(more[:1], source)):
        return False
    parts = [*list_factors(less[0], source, 0)]
    return is_two(parts, source) and any(is_product(each, source) for each in parts)


def list_terms(
    node: cst.BaseExpression, taken: bool, source: Source, depth: int = 0
) -> Iterator[tuple[cst.BaseExpression, bool]]:
    """The terms of a sum, and whether each is taken off: `-2 * x` is too."""
    node = find_written(node, source)
    added = isinstance(node, cst.BinaryOperation) and isinstance(
        node.operator, (cst.Add, cst.Subtract)
    )
    if depth < _DEEPEST and isinstance(node, cst.BinaryOperation) and added:
        yield from list_terms(node.left, taken, source, depth + 1)
        minus = isinstance(node.operator, cst.Subtract)
        yield from list_terms(node.right, taken != minus, source, depth + 1)
        return
    signs = sum(isinstance(each, cst.UnaryOperation) for each in list_factors(node, source, 0))
    yield node, taken != (signs == 1)


def list_factors(
    node: cst.BaseExpression, source: Source, depth: int
) -> Iterator[cst.BaseExpression]:
    """The parts of a product, and the products themselves."""
    node = find_written(node, source)
    yield node
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus):
        yield from list_factors(node.expression, source, depth + 1)
    if depth < _DEEPEST and isinstance(node, cst.BinaryOperation) and _multiplies(node):
        yield from list_factors(node.left, source, depth + 1)
        yield from list_factors(node.right, source, depth + 1)
    if isinstance(node, cst.Call) and source.name(node.func) == "torch.mul":
        for each in node.args:
            yield from list_factors(each.value, source, depth + 1)


def _multiplies(node: cst.BinaryOperation) -> bool:
    return isinstance(node.operator, (cst.Multiply, cst.MatrixMultiply))


def is_two(parts: list[cst.BaseExpression], source: Source) -> bool:
    return any(literal(find_written(each, source)) in (2, 2.0) for each in parts)


def is_product(node: cst.BaseExpression, source: Source) -> bool:
    """`x @ y`, `torch.mm(x, y)`, `x.matmul(y)`."""
    if isinstance(node, cst.BinaryOperation):
        return isinstance(node.operator, cst.MatrixMultiply)
    func = node.func if isinstance(node, cst.Call) else None
    named = source.name(func).rpartition(".")[2] if func is not None else ""
    method = func.attr.value if isinstance(func, cst.Attribute) else ""
    return named in _PRODUCTS or method in _PRODUCTS


def is_lifted(name: cst.Name, source: Source) -> bool:
    """Whether something may make what is below zero zero in between: `d.clamp_(0)`, `d[d < 0] = 0`."""
    function = source.enclosing(name, cst.FunctionDef)
    text = source.code(function) if function is not None else source.text
    used = rf"\b{re.escape(name.value)}(\.\w+)*"
    return re.search(rf"{used}\.({_RAISED})|{used}\[[^\]]*\] *=", text) is not None
