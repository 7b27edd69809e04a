"""LT823: the root of a squared distance that was worked out by products."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit
from lintorch.core.rule import Rule
from lintorch.source import Source

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

_PRODUCT = re.compile(r"@|\b(mm|bmm|matmul|einsum)\(")
_TWICE = re.compile(r"^\(?2(\.0?)? ?\*|\* ?2(\.0?)?\)?$|^torch\.mul\(.*, 2\)$")
_RAISED = re.compile(r"(clamp|relu|clip|abs|fill_diagonal)\w*\(|nan_to_num")


@rule.source(cst.Call, needs=("sqrt",))
def in_roots(call: cst.Call, source: Source) -> Iterator[Hit]:
    func = call.func
    if not isinstance(func, cst.Attribute) or func.attr.value not in ("sqrt", "sqrt_"):
        return
    given = call.args[0].value if source.name(func) == "torch.sqrt" and call.args else None
    under = given if call.args else func.value
    if under is not None and is_distance(under, source):
        yield Hit(call, "the squares differ by less than they are rounded: the root may be NaN")


@rule.source(cst.BinaryOperation, needs=("0.5",))
def in_powers(node: cst.BinaryOperation, source: Source) -> Iterator[Hit]:
    half = isinstance(node.operator, cst.Power) and source.code(node.right).strip("()") == "0.5"
    if half and is_distance(node.left, source):
        yield Hit(node, "the squares differ by less than they are rounded: the power may be NaN")


def is_distance(under: cst.BaseExpression, source: Source) -> bool:
    """`a + b - 2 * x @ y`, by its name too, where nothing lifts it; `2 - 2 * x @ y` of unit vectors."""
    found = find_written(under, source)
    if found is None or (isinstance(under, cst.Name) and is_lifted(under, source)):
        return False
    terms = [*list_terms(found, False)]
    less = [each for each, taken in terms if taken or source.code(each).lstrip("(").startswith("-")]
    more = [source.code(each) for each, _ in terms if each not in less]
    if len(less) != 1 or not (len(more) == 2 or more == ["2"]):
        return False
    twice = _TWICE.search(source.code(less[0]).lstrip("(").removeprefix("-"))
    return twice is not None and find_product(less[0], source)


def list_terms(node: cst.BaseExpression, taken: bool) -> Iterator[tuple[cst.BaseExpression, bool]]:
    """The terms of a sum, and whether each is taken off."""
    if not isinstance(node, cst.BinaryOperation) or not isinstance(
        node.operator, (cst.Add, cst.Subtract)
    ):
        yield node, taken
        return
    yield from list_terms(node.left, taken)
    yield from list_terms(node.right, taken != isinstance(node.operator, cst.Subtract))


def find_product(taken: cst.BaseExpression, source: Source) -> bool:
    """Whether a product of matrices is what is taken off."""
    if _PRODUCT.search(source.code(taken)):
        return True
    parts = (taken.left, taken.right) if isinstance(taken, cst.BinaryOperation) else ()
    written = (find_written(each, source) for each in parts if isinstance(each, cst.Name))
    return any(each is not None and _PRODUCT.search(source.code(each)) for each in written)


def find_written(node: cst.BaseExpression, source: Source) -> cst.BaseExpression | None:
    """What a name was given, where that is one thing; other expressions as they are."""
    if not isinstance(node, cst.Name):
        return node
    values = source.classes.assigned(node)
    return values[0] if len(values) == 1 else None


def is_lifted(name: cst.Name, source: Source) -> bool:
    """Whether something may make what is below zero zero in between: `d.clamp_(0)`, `d[d < 0] = 0`."""
    function = source.enclosing(name, cst.FunctionDef)
    text = source.code(function) if function is not None else source.text
    used = rf"\b{re.escape(name.value)}(\.\w+)*"
    lifted = rf"{used}\.({_RAISED.pattern})|{used}\[[^\]]*\] *="
    return re.search(lifted, text) is not None
