"""What tracers are shown of a gradient of its own, in whatever layout its call stands."""

from __future__ import annotations

import ast

import pytest
from test_rewrites import settle_twice

from lintorch.catalog import build_catalog
from lintorch.core.dispatch import index_detectors, lint_subject
from lintorch.core.finding import Evidence, Finding
from lintorch.core.profile import Profile
from lintorch.source import Source

RULES = index_detectors([build_catalog().rules["LT172"]], Evidence.SOURCE)
IN_USE = Profile(frozenset({"torchscript-trace"}))
HEAD = """import torch
from torch import nn


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        return gradient * 3 * x * x


class Net(nn.Module):
"""
PLAIN = """    def forward(self, x):
        y = x + 1
        return Cube.apply(y)
"""
SHORT = """    def forward(self, x):
        return Cube.apply(x)
"""


def mend(text: str) -> str:
    return settle_twice(text, find)


def find(text: str) -> list[Finding]:
    return list(lint_subject(Source("model.py", text, IN_USE), RULES))


@pytest.mark.parametrize(
    ("body", "plain"),
    [
        ("    def forward(self, x): return Cube.apply(x)\n", SHORT),
        ("    def forward(self, x): \\\n            return Cube.apply(x);\n", SHORT),
        ("    def forward(\n        self, x\n    ): return Cube.apply(x)\n", SHORT),
        ("    def forward(self, x):\n        y = x + 1; return Cube.apply(y)\n", PLAIN),
        ("    def forward(self, x):\n        y = (x +\n   1); return Cube.apply(y)\n", PLAIN),
    ],
)
def test_another_layout_becomes_the_same_program(body: str, plain: str) -> None:
    mended, wanted = mend(HEAD + body), mend(HEAD + plain)
    assert "if torch.jit.is_tracing():" in mended
    assert ast.dump(ast.parse(mended)) == ast.dump(ast.parse(wanted))


def test_a_body_that_more_than_one_break_would_unfold_takes_an_expression() -> None:
    mended = mend(f"{HEAD}    def forward(self, x): y = x + 1; return Cube.apply(y)\n")
    assert " if torch.jit.is_tracing() else Cube.apply(y)\n" in mended
