"""Fixes that show tracers what a function with a gradient of its own computes."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from lintorch.run import CheckRequest, check_and_fix

HEAD = """
    import torch
    from torch import nn


    class Again(torch.autograd.Function):
        @staticmethod
        def forward(ctx, run, *given):
            ctx.run = run
            with torch.no_grad():
                return run(*given)

        @staticmethod
        def backward(ctx, *gradients):
            return (None, *gradients)


    class Asks(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.wanted = ctx.needs_input_grad[0]
            return x.round()

        @staticmethod
        def backward(ctx, gradient):
            return gradient
"""
NET = """

    class Net(nn.Module):
        def __init__(self, flag):
            super().__init__()
            self.flag = flag
            self.layer = nn.Linear(4, 4)

        def forward(self, x):
            return call(self.layer, x, self.flag, False)
"""


@pytest.mark.parametrize(
    ("written", "instead"),
    [
        ("if flag:\n    return Again.apply(run, x)\nelse:\n    return run(x)", "if flag and not torch.jit.is_tracing():"),
        ("if flag or other:  # why\n    return Again.apply(run, x)\nreturn run(x)", "if (flag or other) and not torch.jit.is_tracing():  # why"),
        ("if not flag:\n    return run(x)\nreturn Again.apply(run, x)", "if not flag or torch.jit.is_tracing():"),
        ("if flag: return Again.apply(run, x)\nelse: return run(x)", "if flag and not torch.jit.is_tracing(): return Again.apply(run, x)"),
    ],
)  # fmt: skip
def test_the_side_that_runs_the_same_is_taken_safely(
    tmp_path: Path, written: str, instead: str
) -> None:
    after = fix(tmp_path, written, unsafe=False)
    assert instead in after
    assert fix_text(tmp_path, after, unsafe=True) == after


@pytest.mark.parametrize(
    ("written", "instead"),
    [
        ("y = Again.apply(run, x)\nreturn y", "y = Again.forward(torch.autograd.function.FunctionCtx(), run, x) if torch.jit.is_tracing() else Again.apply(run, x)"),
        ("return 1 + Again.apply(run, x)  # one", "return 1 + (Again.forward(torch.autograd.function.FunctionCtx(), run, x) if torch.jit.is_tracing() else Again.apply(run, x))  # one"),
    ],
)  # fmt: skip
def test_forward_is_called_where_no_side_does_the_same(
    tmp_path: Path, written: str, instead: str
) -> None:
    assert fix(tmp_path, written, unsafe=False) == assemble(written)
    after = fix(tmp_path, written, unsafe=True)
    assert instead in after
    assert fix_text(tmp_path, after, unsafe=True) == after


@pytest.mark.parametrize(
    "written",
    ["return Asks.apply(x)", "return Again.apply(\n    run,  # what\n    x,\n)"],
)
def test_nothing_is_offered_where_it_would_not_hold(tmp_path: Path, written: str) -> None:
    assert fix(tmp_path, written, unsafe=True) == assemble(written)


def assemble(written: str) -> str:
    head, net = textwrap.dedent(HEAD), textwrap.dedent(NET)
    return f"{head}\n\ndef call(run, x, flag, other):\n{textwrap.indent(written, '    ')}\n{net}"


def fix(folder: Path, written: str, *, unsafe: bool) -> str:
    return fix_text(folder, assemble(written), unsafe=unsafe)


def fix_text(folder: Path, text: str, *, unsafe: bool) -> str:
    path = folder / "net.py"
    path.write_text(text)
    settings = {"select": ("LT172",), "exporters": ("torch.export", "onnx", "onnx-legacy", "torchscript-trace")}  # fmt: skip
    request = CheckRequest((str(path),), settings=settings, isolated=True, jobs=1, fix=True, unsafe_fixes=unsafe)  # fmt: skip
    check_and_fix(request)
    return path.read_text()
