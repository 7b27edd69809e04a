"""What an error names beyond its class: a module, an attribute, a signal; and errors that follow on notes."""

from __future__ import annotations

from pathlib import Path

import pytest
from running import lintorch

from lintorch.messages import read_class, sharpen, unify_text
from lintorch.messages.name_details import load_details, load_distributions
from lintorch.messages.recognise import recognise

DETAILS = [
    ("ModuleNotFoundError: No module named 'cv2'", "pip install opencv-python", "remedy"),
    ("ModuleNotFoundError: No module named 'utils.general'", "a folder or file of a project", "cause"),
    ("ModuleNotFoundError: No module named 'thing'", "`thing` is not installed", "cause"),
    ("ModuleNotFoundError: No module named 'onnx.thing'", "no part `thing` in `onnx`", "cause"),
    ("ModuleNotFoundError: No module named 'torch.thing'; 'torch' is not a package", "called torch.py hides", "cause"),
    (
        "ImportError: cannot import name 'load' from 'onnx' (/home/me/onnx.py)",
        "taken from /home/me/onnx.py: a file of yours",
        "cause",
    ),
    (
        "ImportError: cannot import name 'x' from 'p.q' (/usr/lib/python3.9/site-packages/p/q.py)",
        "The installed `p.q` has no `x`",
        "cause",
    ),
    ("TypeError: f() got an unexpected keyword argument 'k'", "`f` takes no argument `k`", "cause"),
    ("AttributeError: 'NoneType' object has no attribute 'shape'", "is None where", "cause"),
    ("TypeError: 'NoneType' object is not subscriptable", "is None where", "cause"),
    ("AttributeError: 'FooConfig' object has no attribute 'heads'", "a setting of another", "cause"),
    ("AttributeError: 'list' object has no attribute 'val'", "A list stands where", "cause"),
    ("TypeError: 'int' object is not iterable", "A plain number stands", "cause"),
    ("'dict' object has no attribute 'transpose'", "where a tensor is expected", "cause"),
    (
        "ValueError: could not broadcast input array from the shape (1382400,) into shape (230400,)",
        "An array of shape (1382400,) is copied",
        "cause",
    ),
    ("KeyError: 'anchors'", "has no entry 'anchors'", "cause"),
    ("Process finished with exit code 136 (interrupted by signal 8:SIGFPE)", "divided by zero", "cause"),
    ("python: exit code 132, illegal instruction", "does not have", "cause"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "told", "where"), DETAILS)
def test_a_class_says_what_the_error_names(text: str, told: str, where: str) -> None:
    found = read_class(unify_text(text))
    assert found
    assert told in getattr(found.kind, where)


SIZES = [
    (
        "Fail: Node (If_3) Op (If) [ShapeInferenceError] Can't merge shape info. Source=1 Target=2 Dimension=0",
        "two branches of an If",
    ),
    (
        "Fail: Node (Add_3) Op (Add) [ShapeInferenceError] Can't merge shape info. Source=1 Target=2 Dimension=0",
        "contradict each other",
    ),
    (
        "Fail: [ShapeInferenceError] (op_type:Floor, node name: n1): X typestr: T, has unsupported type: tensor(int64)",
        "takes no tensor(int64)",
    ),
    (
        "(op_type:Softmax, node name: Softmax@0): Inferred shape and existing shape differ in dimension 0: (1) vs (-1)",
        "Axis 0 is declared with the number -1",
    ),
]
PASSES = {
    "fixup_onnx_controlflow": "Loop or If of ONNX",
    "remove_inplace_ops_for_onnx": "writes in place",
    "pattern_conversion/pattern_conversion": "writes in place",
    "constant_fold": "worked out a part of the graph beforehand",
    "preprocess_for_onnx": "gives a list",
    "function_extraction": "one function of ONNX for each module",
    "list_model_parameters": "weights of a scripted module",
    "scalar_type_analysis": "one type as PyTorch does",
    "unpack_quantized_weights": "converted to quantized layers",
}


@pytest.mark.parametrize("name", PASSES)
def test_an_assertion_says_what_its_pass_of_the_exporter_does(name: str) -> None:
    text = unify_text(
        f'RuntimeError: x INTERNAL ASSERT FAILED at "../torch/csrc/jit/passes/onnx/{name}.cpp":92, '
        "please report a bug to PyTorch."
    )
    (found,) = (sharpen(each, text) for each in recognise(text))
    assert PASSES[name] in found.kind.cause


@pytest.mark.parametrize(("text", "told"), SIZES)
def test_a_shape_inference_error_says_which(text: str, told: str) -> None:
    text = unify_text(text)
    assert any(told in sharpen(each, text).kind.cause for each in recognise(text))


def test_every_detail_can_be_written() -> None:
    empty = {"name": "n", "owner": "o", "type": "t", "path": "p", "distribution": "d"}
    for detail in load_details():
        assert detail.cause.format_map(empty)
        assert detail.remedy.format_map(empty)
    assert all(load_distributions().values())


def test_an_error_behind_notes_is_told(tmp_path: Path) -> None:
    log = "UserWarning: Constant folding - Only steps=1 can be constant folded for opset >= 10\nFooError: frobnicated\n"
    ended = lintorch("explain", "--log", "-", cwd=tmp_path, stdin=log)
    assert ended.returncode == 1
    assert "FooError: frobnicated" in ended.stdout
    assert "harmless" in ended.stdout
