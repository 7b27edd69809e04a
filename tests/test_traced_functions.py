"""Fixes that show tracers what a function with a gradient of its own computes."""

from __future__ import annotations

import textwrap
from dataclasses import replace
from pathlib import Path

import pytest
from running import lintorch

from lintorch.run import CheckRequest, check_and_fix

SETTINGS = {
    "select": ("LT172",),
    "exporters": ("torch.export", "onnx", "onnx-legacy", "torchscript-trace"),
}
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


def test_a_model_of_another_file_takes_the_fix_of_a_helper(tmp_path: Path) -> None:
    """The file of the helper has no model that would show that it is run."""
    head, _, net = assemble("if flag:\n    return Again.apply(run, x)\nreturn run(x)").partition("\n\nclass Net")  # fmt: skip
    (tmp_path / "parts.py").write_text(head)
    begin = "import torch\nfrom torch import nn\n\nfrom parts import call\n\n\nclass Net"
    (tmp_path / "net.py").write_text(begin + net)
    run_fixes(tmp_path, unsafe=True)
    after = (tmp_path / "parts.py").read_text()
    assert "if flag and not torch.jit.is_tracing():" in after
    run_fixes(tmp_path, unsafe=True)
    assert (tmp_path / "parts.py").read_text() == after
    asked = ("--isolated", "--config", 'exporters=["torchscript-trace"]', "--select", "LT172")
    assert lintorch("check", ".", *asked, cwd=tmp_path).returncode == 0


def assemble(written: str) -> str:
    head, net = textwrap.dedent(HEAD), textwrap.dedent(NET)
    return f"{head}\n\ndef call(run, x, flag, other):\n{textwrap.indent(written, '    ')}\n{net}"


def fix(folder: Path, written: str, *, unsafe: bool) -> str:
    return fix_text(folder, assemble(written), unsafe=unsafe)


def fix_text(folder: Path, text: str, *, unsafe: bool) -> str:
    path = folder / "net.py"
    path.write_text(text)
    run_fixes(folder, unsafe=unsafe)
    return path.read_text()


def run_fixes(folder: Path, *, unsafe: bool) -> None:
    request = CheckRequest((str(folder),), settings=SETTINGS, isolated=True, jobs=1)
    check_and_fix(replace(request, fix=True, unsafe_fixes=unsafe))
