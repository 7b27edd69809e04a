"""Messages of runtimes and exporters: real ones, each recognised for what it is, in whatever a log makes of it."""

from __future__ import annotations

import importlib
import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from running import lintorch

from lintorch.catalog import build_catalog
from lintorch.messages import (
    Kind,
    Recognised,
    describe_class,
    describe_support,
    load_runtimes,
    read_refused,
    read_releases,
    recognise,
    sharpen,
    unify_text,
)
from lintorch.messages.find_words import may_hold
from lintorch.messages.read_moved import MovedName, load_moved

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PARSER: Any = importlib.import_module("re._parser" if sys.version_info >= (3, 11) else "sre_parse")
HERE = Path(__file__).parent / "messages"
KINDS = [kind for runtime in load_runtimes() for kind in runtime.kinds]


def read_cases() -> Iterator[Any]:
    for path in sorted(HERE.glob("*.toml")):
        for case in tomllib.loads(path.read_text("utf-8"))["case"]:
            yield pytest.param(case, id=f"{case['kind']}-{case['address'].partition('//')[2]}")


CASES = [*read_cases()]


def tell_first(text: str) -> Recognised:
    """The first message that is known; where none is, what the error says that a program lacks."""
    found = recognise(text)
    if not found:
        refused = read_refused(text)
        assert refused
        return refused
    told = describe_class(found[0], text)
    return told if told.kind.name.startswith("refused-") else found[0]


@pytest.mark.parametrize("case", CASES)
def test_a_message_from_a_public_thread_is_recognised(case: dict[str, str]) -> None:
    first = tell_first(unify_text(case["text"]))
    assert (first.runtime.name, first.kind.name) == (case["runtime"], case["kind"])
    assert (first.operator, first.node) == (case.get("operator", ""), case.get("node", ""))
    assert case.get("torch", "") in first.groups.get("torch", "")
    assert not case.get("rule") or case["rule"] in first.kind.rules
    assert case.get("support", "") in describe_support(first)


WRITTEN: dict[str, Callable[[str], str]] = {
    "colours": lambda text: text.replace("\n", "\x1b[0m\n\x1b[31m"),
    "stamps": lambda text: "\n".join(f"2024-05-01T10:00:00.1Z {x}" for x in text.split("\n")),
    "box": lambda text: "\n".join(f"│ {line:<200} │" for line in text.split("\n")),
    "wrapped": lambda text: re.sub(r"(.{60}\S*) ", r"\1\n", text),
    "windows": lambda text: text.replace("\n", "\r\n"),
    "quoted": lambda text: "\n".join(f"> {line}" for line in text.split("\n")),
    "in a long log": lambda text: "INFO nothing to see\n" * 3000 + text + "\nINFO more" * 300,
}


@pytest.mark.parametrize("way", WRITTEN)
def test_what_a_program_does_to_its_log_changes_nothing(way: str) -> None:
    first = list(WRITTEN).index(way) % 3  # a third of them, each way another one
    for case in (case for (case,) in (param.values for param in CASES[first::3])):
        if way == "wrapped" and "n o d e" in case["text"]:
            continue  # a blank between letters is no place to wrap at
        told = tell_first(unify_text(WRITTEN[way](case["text"])))
        assert (told.kind.name, told.node) == (case["kind"], case.get("node", "")), case


def test_a_number_of_a_long_log_is_no_message() -> None:
    assert not recognise(" ".join(f"step {step} loss 0.{step}" for step in range(9000)))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.full_name)
def test_a_word_is_held_by_the_texts_that_have_it(kind: Kind) -> None:
    for word in kind.needs:
        assert may_hold(f"before{word}after", word)
        assert may_hold(f"a ({word}) z", word)


def test_a_word_is_not_held_by_a_text_that_lacks_one_of_its_words() -> None:
    assert not may_hold("failed to add a layer", "failed to add topk layer")


def test_a_message_in_json_is_recognised() -> None:
    (case,) = CASES[9].values
    first = recognise(unify_text(json.dumps({"message": '"' + case["text"] + '"'})))[0]
    assert first.kind.name == case["kind"]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.full_name)
def test_a_kind_says_cause_and_remedy_and_names_rules_that_there_are(kind: Kind) -> None:
    assert kind.cause.endswith(".")
    assert kind.remedy
    assert set(kind.rules) <= set(build_catalog().names.values())
    known = {each.full_name for each in KINDS} | {f"{each.runtime}/*" for each in KINDS}
    assert set(kind.yields_to) <= known
    assert all(word == word.lower() and len(word.encode()) > 3 for word in kind.needs)


def test_a_kind_has_a_name_of_its_own() -> None:
    names = [kind.full_name for kind in KINDS]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.full_name)
def test_no_pattern_can_take_long(kind: Kind) -> None:
    """Every repetition ends, and none stands in another one that varies as well."""
    if kind.pattern is not None:
        check_repeats(PARSER.parse(kind.pattern.pattern), outer=1)


def check_repeats(tree: Any, outer: int) -> None:
    for code, value in tree:
        if str(code) in ("MAX_REPEAT", "MIN_REPEAT"):
            low, high, inner = value
            varies = high if high != low else 1
            assert varies <= 500
            assert min(varies, outer) <= 12
            check_repeats(inner, max(varies, outer))
        elif str(code) == "BRANCH":
            for branch in value[1]:
                check_repeats(branch, outer)
        elif str(code) == "SUBPATTERN":
            check_repeats(value[3], outer)
        elif str(code) in ("ASSERT", "ASSERT_NOT"):
            check_repeats(value[1], outer)


PIECES = sorted({word for kind in KINDS for word in kind.needs} | {k.heading for k in KINDS})


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=40)), max_size=60))
def test_any_text_is_read(pieces: list[str]) -> None:
    for joint in ("", " ", "\n"):
        found = recognise(unify_text(joint.join(pieces)))
        assert len(found) <= 12
        assert all(len(each.excerpt) <= 240 for each in found)


def test_a_text_of_one_word_a_million_times_is_read() -> None:
    for word in ("assertion failed: ", "(", "check '", "{foreignnode[", "name: '", "\x1b["):
        assert len(recognise(unify_text(word * 200_000))) <= 12


NET = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)

    def forward(self, x):
        y = self.conv(x)
        half = int(y.shape[2]) // 2
        return y[:, :, :half]


if __name__ == "__main__":
    torch.onnx.export(
        Net().eval(), torch.zeros(2, 3, 32, 32), "net.onnx", dynamo=False, input_names=["x"],
        dynamic_axes={"x": {0: "batch", 2: "height", 3: "width"}},
    )
"""
ADD = "Non-zero status code returned while running Add node. Name:'/conv/Add' Status Message: "
BROADCAST = "Attempting to broadcast an axis by a dimension other than 1. 9 by 16"


def explain(folder: Path, text: str, *arguments: str) -> tuple[int, list[dict[str, Any]]]:
    (folder / "net.py").write_text(NET)
    command = ("explain", *arguments, "--log", "-", "--output-format", "json")
    done = lintorch(*command, cwd=folder, stdin=text)
    assert done.returncode in (0, 1), done.stderr
    return done.returncode, json.loads(done.stdout)["answers"]


def test_lines_of_the_project_that_may_be_the_cause_are_told(tmp_path: Path) -> None:
    code, (answer,) = explain(tmp_path, f"[E:onnxruntime] {ADD}{BROADCAST}\n")
    assert (code, answer["verdict"], answer["runtime"]) == (1, "matters", "onnxruntime")
    assert (answer["operator"], answer["node"]) == ("Add", "/conv/Add")
    assert ("net.py", 13, "LT101") in [
        (x["filename"], x["row"], x["code"]) for x in answer["lines"]
    ]
    assert "LT101" in [rule["code"] for rule in answer["rules"]]


def test_the_text_says_what_to_write_and_where(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(NET)
    (tmp_path / "err.txt").write_text(f"{ADD}{BROADCAST}\n", encoding="utf-16")
    done = lintorch("explain", "--log", "err.txt", cwd=tmp_path)
    assert done.returncode == 1
    assert "in the layer conv" in done.stdout
    assert "write:" in done.stdout
    assert "net.py:13  LT101 dynamic-size" in done.stdout


def test_a_runtime_error_stands_for_the_traceback_that_it_ends(tmp_path: Path) -> None:
    raised = (
        'Traceback (most recent call last):\n  File "net.py", line 12, in <module>\n'
        f"onnxruntime.capi.onnxruntime_pybind11_state.Fail: [ONNXRuntimeError] : 1 : FAIL : {ADD}x\n"
    )
    _, (answer,) = explain(tmp_path, raised)
    assert answer["error"] == "node-failed"
    assert answer["filename"] is None


def test_an_exporters_error_keeps_the_line_of_its_traceback(tmp_path: Path) -> None:
    raised = (
        'Traceback (most recent call last):\n  File "net.py", line 13, in forward\n'
        '  File "/v/site-packages/torch/export/_trace.py", line 9, in _export\n'
        "torch._dynamo.exc.UserError: Constraints violated (height)! height was inferred to be a constant (32)\n"
    )
    _, (answer,) = explain(tmp_path, raised)
    assert (answer["filename"], answer["row"], answer["code"]) == ("net.py", 13, "LT101")
    assert answer["error"] == "became-constant"


def test_a_note_that_is_no_error_is_harmless(tmp_path: Path) -> None:
    note = (
        "[W] [TRT] Your ONNX model has been generated with INT64 weights, while TensorRT does not\n"
    )
    code, (answer,) = explain(tmp_path, note)
    assert (code, answer["verdict"]) == (0, "harmless")


def test_what_is_not_known_is_said_with_what_would_tell_more(tmp_path: Path) -> None:
    code, (answer,) = explain(tmp_path, "trtexec: a failure that nobody met\n")
    assert (code, answer["verdict"]) == (1, "unknown")
    assert "nothing is known" in answer["why"]
    assert "--verbose" in answer["why"]


def test_another_error_of_a_known_program_names_the_program_alone(tmp_path: Path) -> None:
    code, (answer,) = explain(tmp_path, "[TRT] [E] a failure that nobody met\n")
    assert (code, answer["verdict"]) == (1, "unknown")
    assert (answer["runtime"], answer["error"]) == ("tensorrt", "other")
    assert "not known here" in answer["why"]


CLASSES = [
    (
        "AttributeError: module 'tvm.relax.frontend' has no attribute 'onnx'",
        "tvm",
        "package-release",
    ),
    ("ImportError: libdrm_tegra.so.0: cannot open shared object file", "any", "package-missing"),
    (
        "[tflite] Error: Model has model identifier 'ion ', should be 'TFL3'",
        "litert",
        "file-broken",
    ),
    ("coremltools: export failure 2s: KeyError: 6", "coreml", "look-up"),
    ("onnx2tf done\nSegmentation fault (core dumped)", "litert", "crash"),
    ("trtexec: CUDA driver version is insufficient for CUDA runtime version", "tensorrt", "device"),
    ("ValueError: lr must be positive", "any", "value"),
    ("[1]    59107 killed     python convert.py", "any", "crash"),
    ("a.sh: line 3: 12345 Killed                  python convert.py", "any", "crash"),
]


@pytest.mark.parametrize(("text", "runtime", "error"), CLASSES)
def test_what_is_not_known_is_told_by_its_class_alone(
    tmp_path: Path, text: str, runtime: str, error: str
) -> None:
    code, (answer,) = explain(tmp_path, f"INFO begun\n{text}\n")
    assert (code, answer["verdict"]) == (1, "unknown")
    assert (answer["runtime"], answer["error"]) == (runtime, error)
    assert "not known here" in answer["why"]
    assert not answer["rules"]


def test_a_traceback_of_yours_keeps_its_line_beside_the_class(tmp_path: Path) -> None:
    raised = (
        'Traceback (most recent call last):\n  File "net.py", line 12, in forward\n'
        "KeyError: 'scale'\n"
    )
    _, (answer,) = explain(tmp_path, raised)
    assert (answer["filename"], answer["row"], answer["error"]) == ("net.py", 12, "look-up")


OTHERS = [
    "ERROR: No matching distribution found for tensorrt==8.6.1",
    "coremltools 7.2 requires protobuf<=4.0.0, but you have protobuf 5.26.1 which is incompatible.",
    "Traceback (most recent call last):\n  File 'train.py', line 4, in main\nKeyError: 'x'",
    'File "site-packages/torch/_dynamo/eval_frame.py", line 600, in _fn\n'
    '  File "site-packages/torch/optim/adam.py", line 3\nValueError: lr must be positive',
    "ModuleNotFoundError: No module named 'onnxruntime'",
    "Assertion failed: (ptr != NULL), function alloc, file mem.c, line 12.",
    "AttributeError: module 'numpy' has no attribute 'boolean'",
    "NotImplementedError: Foo is not implemented.",
    "Error: socket is not registered.",
    "error code = 5",
    "Load failed: 404",
    "Platform does not support WebGL.",
    "nvrtc: error: invalid value for --gpu-architecture (-arch)",
    "cuDNN error: CUDNN_STATUS_NOT_INITIALIZED",
    "scalar must be a scalar, and the size of the window should be a 1-D array",
    "Check failed: size mismatch, expected 3 got 4",
    "Method 'predict' is not defined",
    "AssertionError: shapes must match: 3 != 4",
    "ValidationError: Expected a list of items, but a str was given.",
    "mkdocs.config.base.ValidationError: The path 'docs' isn't an existing directory.",
    "InvalidHeader: Header part (3) from ('a', 3) must be of type str or bytes, not int",
    "TypeError: nsolve expected at most 3 arguments, got 4",
    "ValueError: Array dtype mismatch: expected f4 got f8.",
    "ValueError: Sum requires values for lower and upper bounds.",
    "UnsupportedAlgorithm: DSA keys aren't supported in SSH certificates",
    "TypeError: AsyncRetrying object is not iterable",
    "NotImplementedError: pallas_call with a mesh does not support batching",
    "ValueError: operands could not be broadcast together with shapes (3,) (4,)",
    "LaTeXParsingError: Index out of bounds",
    "fopen settings.bin failed",
    "Uncaught (in promise) 12345678",
    "thread 'main' panicked at src/main.rs:3:5: called `Option::unwrap()` on a `None` value",
    "Unknown task: build",
    "ValueError: 'b' is not in list",
    "numeric_limits<int>::max() overflow",
    'File "/usr/lib/python3/site-packages/scipy/sparse/_base.py", line 1110, in f\n'
    "IndexError: index out of bounds",
    'File "/usr/lib/python3/site-packages/keras/src/layers/n.py", line 393, in f\n'
    "NotImplementedError: Unsupported data type: foo",
]


@pytest.mark.parametrize("text", OTHERS)
def test_an_error_of_another_program_is_not_taken_for_a_runtimes(text: str) -> None:
    assert recognise(unify_text(text)) == ()


def test_the_node_that_a_message_names_leads_to_its_line(tmp_path: Path) -> None:
    import torch

    space: dict[str, Any] = {"__name__": "net"}
    (tmp_path / "net.py").write_text(NET)
    exec(compile(NET, str(tmp_path / "net.py"), "exec"), space)
    torch.onnx.export(
        space["Net"]().eval(), (torch.zeros(2, 3, 8, 8),), str(tmp_path / "net.onnx"), dynamo=False
    )
    said = "running Conv node. Name:'/conv/Conv' Status Message: Input channels C is not equal to kernel channels * group.\n"
    _, (answer,) = explain(tmp_path, f"Non-zero status code returned while {said}", "net.onnx")
    assert answer["error"] == "conv-channels"
    assert {"filename": "net.py", "row": 12} in answer["node_lines"]


RELEASES = [
    ("&&&& RUNNING TensorRT.trtexec [TensorRT v8503] # trtexec", "tensorrt-8.5", None),
    ("[TensorRT v101200]", "tensorrt-10.12", None),
    ("[V] Loaded Module: tensorrt | Version: 8.6.1 | Path", "tensorrt-8.6", None),
    ("**TensorRT Version**: 8.0.3", "tensorrt-8.0", None),
    ("onnxruntime-gpu==1.16.3 and opset_version=13", "onnxruntime-1.16", 13),
    ("ONNX Runtime version: 1.12 Opset version: 10", "onnxruntime-1.12", 10),
    ("TensorRT 8.5 fails, TensorRT 8.6 too, opset 11 and opset 12", "", None),
    ("torch 2.1.0, onnx 1.14.0", "", None),
]


@pytest.mark.parametrize(("text", "target", "opset"), RELEASES)
def test_releases_that_a_log_names_are_read(text: str, target: str, opset: int | None) -> None:
    read = read_releases(unify_text(text))
    assert [each.name for each in read.targets] == [target] * bool(target)
    assert read.opset == opset


OPERATORS = """
import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def forward(self, x, y, grid):
        scores = torch.einsum("bid,bjd->bij", x, y)
        return scores, F.grid_sample(x[:, None], grid)


if __name__ == "__main__":
    torch.onnx.export(Net(), (torch.rand(1, 2, 3), torch.rand(1, 2, 3), torch.rand(1, 2, 3, 2)), "a.onnx")
"""


def test_lines_are_those_of_the_operator_for_the_release_that_the_log_names(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(OPERATORS)
    named = "No importer registered for op: {}\n"
    for operator, rows in (("GridSample", [10]), ("NonMaxSuppression", [])):
        log = f"&&&& RUNNING TensorRT.trtexec [TensorRT v7103]\n{named.format(operator)}"
        done = lintorch("explain", "--log", "-", "--output-format", "json", cwd=tmp_path, stdin=log)
        (answer,) = json.loads(done.stdout)["answers"]
        assert "the log is of tensorrt-7.1" in (answer["since"] or "")
        assert [x["row"] for x in answer["lines"] if x["code"] == "LT901"] == rows


MOVED = [
    ("AttributeError: module 'numpy' has no attribute 'bool'.", "numpy 1.24", "bool"),
    ("ModuleNotFoundError: No module named 'torch._six'", "torch 2.0", "collections.abc"),
    (
        "ImportError: cannot import name 'mapping' from 'onnx' (/v/onnx/__init__.py)",
        "onnx 1.19",
        "",
    ),
    (
        "AttributeError: 'tensorrt_bindings.tensorrt.ICudaEngine' object has no attribute 'num_bindings'",
        "tensorrt 10",
        "num_io_tensors",
    ),
    ("AttributeError: module 'torch.export' has no attribute 'Dim'", "torch 2.2", "torch 2.2"),
]


@pytest.mark.parametrize(("said", "release", "write"), MOVED)
def test_a_name_that_came_or_went_is_told_with_its_release(
    said: str, release: str, write: str
) -> None:
    (found,) = recognise(unify_text(said))
    told = sharpen(found, said)
    assert (told.kind.name, told.runtime.title) == ("moved-name", release.partition(" ")[0])
    assert release in told.kind.cause
    assert write in told.kind.remedy


def test_a_name_that_no_table_knows_is_no_moved_one() -> None:
    for said in ("module 'torch' has no attribute 'foo'", "No module named 'torch'"):
        assert recognise(unify_text(said)) == ()


@pytest.mark.parametrize("moved", load_moved().values(), ids=lambda moved: moved.name)
def test_names_that_came_or_went_are_so_in_what_is_installed(moved: MovedName) -> None:
    """As far as a package is here."""
    package, *rest = moved.name.split(".")
    if package != moved.package or package not in ("torch", "onnx", "onnxruntime"):
        return
    pytest.importorskip(package)
    assert is_there(package, rest) == (not moved.gone)


def is_there(path: str, names: list[str]) -> bool:
    found = importlib.import_module(path)
    for name in names:
        path += f".{name}"
        if not hasattr(found, name):
            try:
                importlib.import_module(path)
            except ImportError:
                return False
        found = getattr(found, name)
    return True
