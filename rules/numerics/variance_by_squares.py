"""LT822: a variance as the difference of two squares."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit
from lintorch.core.rule import Rule
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT822",
    summary="a variance as the difference of two large numbers",
    why="""
        `(x * x).mean() - x.mean() ** 2` is right on paper. In float32 both terms have seven digits, and those that
        differ may be none of them: of 10,000 numbers round 1000 that spread by 0.1 it is -0.19, where the variance
        is 0.01, and the root of that is NaN. `x.var(unbiased=False)` takes the mean off first.
        Measured on torch 2.13.
    """,
    bad="""
        import torch


        def spread(x):
            return (x * x).mean() - x.mean() ** 2
    """,
    good="""
        import torch


        def spread(x):
            return x.var(unbiased=False)
    """,
    remedy="write x.var(dim, unbiased=False)",
    proof="""
        torch.manual_seed(0)
        x = 1000 + 0.1 * torch.randn(10_000)
        exact = x.double().var(unbiased=False)
        assert abs(spread(x) - exact) < 0.1 * exact
    """,
)

_NAME = r"(?P<x>[\w.]+(?:\[[^\]]*\])?)"
_SQUARED = (
    rf"\({_NAME} ?\* ?(?P=x)\)", rf"\({_NAME} ?\*\* ?2\)", rf"{_NAME}\.pow\(2\)", rf"{_NAME}\.square\(\)",
    rf"torch\.square\({_NAME}\)", rf"torch\.pow\({_NAME}, 2\)",
)  # fmt: skip
MEANS = tuple(re.compile(rf"{each}\.mean\((?P<a>.*?)\)$") for each in _SQUARED) + tuple(
    re.compile(rf"torch\.mean\({each}(?P<a>(, .*)?)\)$")
    for each in (*(e.removeprefix(r"\(").removesuffix(r"\)") for e in _SQUARED[:2]), *_SQUARED[2:])
)


@rule.source(cst.BinaryOperation, needs=("mean",))
def in_source(node: cst.BinaryOperation, source: Source) -> Iterator[Hit]:
    if not isinstance(node.operator, cst.Subtract):
        return
    left, right = source.code(node.left), source.code(node.right)
    for means in MEANS:
        found = means.fullmatch(left)
        if found is not None and is_square_of_mean(right, found["x"]):
            said = f"the digits of the variance of {found['x']} are lost where its mean is large"
            yield Hit(node, said, remedy=f"write {found['x']}.var(dim, unbiased=False)")
            return


def is_square_of_mean(text: str, name: str) -> bool:
    """`x.mean() ** 2`, `x.mean(0).pow(2)`, `torch.mean(x) ** 2`."""
    text = re.sub(r"\.pow\(2\)$|\.square\(\)$| ?\*\* ?2$", "^2", text)
    mean = rf"{re.escape(name)}\.mean\([^()]*\)|torch\.mean\({re.escape(name)}(, [^()]*)?\)"
    return re.fullmatch(rf"\(?({mean})\)?\^2", text) is not None
