"""What is said of operators that the older ONNX exporter refuses, and of Dynamo's own explanations."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from lintorch.messages import recognise, sharpen, unify_text
from lintorch.messages.read_break import read_break
from lintorch.run.guess_warning import guess_check, guess_warning
from lintorch.targets.legacy_symbolics import load_firsts

SCRIPT = Path(__file__).parents[1] / "benchmarks/targets/legacy_symbolics.py"
REFUSED = "torch.onnx.errors.UnsupportedOperatorError: Exporting the operator '{}' to ONNX opset version {} is not supported."
SAID = [
    ("aten::diff", 16, "at any opset", "x[..., 1:] - x[..., :-1]; or dynamo=True, which writes it"),
    ("aten::tril", 11, "from opset 14 on", "opset_version=14"),
    ("aten::fft_rfft2", 17, "at any opset", "Fourier transforms"),
    ("aten::linalg_inv_ex", 17, "at any opset", "dynamo=True does not write it either"),
    ("aten::uniform", 12, "at any opset", "torch.rand_like(x)"),
    ("aten::hann_window", 15, "older than its translation", "pip install -U torch"),
    ("prim::DictConstruct", 14, "makes or returns a dictionary", "tuple of tensors"),
]


@pytest.mark.parametrize(("name", "opset", "cause", "remedy"), SAID)
def test_an_operator_is_told_with_its_first_opset_and_what_to_write(
    name: str, opset: int, cause: str, remedy: str
) -> None:
    text = unify_text(REFUSED.format(name, opset))
    (found,) = recognise(text)
    kind = sharpen(found, text).kind
    assert cause in kind.cause
    assert remedy in kind.remedy


def test_the_table_is_what_torch_registers() -> None:
    pytest.importorskip("torch")
    spec = importlib.util.spec_from_file_location("legacy_symbolics", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    assert script.read_register() == load_firsts()


BREAK = """torch._dynamo.exc.Unsupported: Unsupported event method
  Explanation: Dynamo doesn't support tracing the `wait` method of events.
  Hint: Call it outside of the compiled region.
  Hint: This graph break is fundamental - it is unlikely that Dynamo will ever be able to trace through your code.

  Developer debug context: wait
"""


def test_what_dynamo_explains_and_hints_at_is_the_answer() -> None:
    text = unify_text(BREAK)
    assert read_break(text)[1] == "Call it outside of the compiled region"
    (found,) = recognise(text)
    kind = sharpen(found, text).kind
    assert "doesn't support tracing the `wait` method" in kind.cause
    assert kind.remedy.startswith("Call it outside of the compiled region; ")


def test_a_break_without_an_explanation_is_told_as_its_kind() -> None:
    assert read_break("torch._dynamo.exc.Unsupported: Unsupported event method") == ("", "")


WARNED = [
    ("Converting a tensor to a Python boolean", "if x.shape[1] > 4:", "it is a branch"),
    ("Converting a tensor to a Python boolean", "return bool(x)", "a question is answered once"),
    ("Converting a tensor to a Python integer", "n = int(x.shape[1])", "wrong at other sizes"),
    ("Iterating over a tensor", "for row in x:", "as many rounds"),
]


@pytest.mark.parametrize(("warning", "line", "meaning"), WARNED)
def test_a_warning_of_a_file_that_is_not_here_is_told_by_its_line(
    warning: str, line: str, meaning: str
) -> None:
    assert meaning in guess_warning(warning, line)
    assert not guess_check(line)


def test_an_assert_is_known_without_its_file() -> None:
    assert guess_check("    assert x.dim() == 3, x.shape")
    assert not guess_check("assertions = x.sum() > 0")
