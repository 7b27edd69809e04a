"""`lintorch export --dtype`: what a type costs, told apart from what an exporter does wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("onnxscript")
pytest.importorskip("onnxruntime")

import torch
from running import lintorch
from torch import nn

from lintorch.guest.precision import Subject, try_precision
from lintorch.guest.precision.cast_model import cast_inputs, cast_module
from lintorch.guest.precision.measure_loss import is_beyond
from lintorch.guest.watch.user_lines import UserLines
from lintorch.record.file_comparisons import Distance
from lintorch.record.models import Input, Model, PlainArgument
from lintorch.record.precisions import QUANTIZATIONS, list_precisions

NETS = """\
import torch
from torch import nn


class Scale(nn.Module):
    def forward(self, x):
        return x * 3000.0


class Overflows(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(8, 8)
        self.scale = Scale()
        self.last = nn.Linear(8, 2)

    def forward(self, x):
        x = self.scale(self.first(x))
        x = (x * x).mean(-1, keepdim=True).rsqrt() * x
        return self.last(x)


class Mixed(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 8)

    def forward(self, x):
        grid = torch.linspace(0, 1, 8)
        return self.fc(x) @ grid
"""
TYPES = "float32,float16,bfloat16,int8-dynamic"


class Widened(nn.Module):  # type: ignore[misc]
    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return x.float().mean(-1), x.reshape(x.shape[0], -1)


class Scaled(nn.Module):  # type: ignore[misc]
    """A quantizer folds the norm into the convolution."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 16, 3)
        self.norm = nn.BatchNorm2d(16)
        self.head = nn.Linear(16, 4)

    def forward(self, x: torch.Tensor, scale: float) -> dict[str, torch.Tensor]:
        return {"scores": self.head(self.norm(self.conv(x)).relu().mean((2, 3))) * scale}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("precisions")
    made.joinpath("nets.py").write_text(NETS)
    return made


@pytest.fixture(scope="module")
def trials(folder: Path) -> list[dict[str, Any]]:
    to = ["--to", "torch.export", "--to", "onnx-legacy", "--dtype", TYPES]
    to += ["--dtype", "int8-static", "--output", "out", "--output-format", "json"]
    done = lintorch("export", "nets.py", *to, cwd=folder)
    assert done.returncode == 1, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)["trials"]
    return found


def find(trials: list[dict[str, Any]], model: str, exporter: str, dtype: str | None) -> Any:
    asked = (f"nets.py:{model}", exporter, dtype)
    (found,) = (t for t in trials if (t["model"], t["exporter"], t["dtype"]) == asked)
    return found


def test_each_type_is_tried_with_the_exporters_that_have_it(trials: list[dict[str, Any]]) -> None:
    tried = [(t["exporter"], t["dtype"]) for t in trials if t["model"] == "nets.py:Overflows"]
    floats = [None, "float16", "bfloat16"]
    assert tried == [
        *(("torch.export", each) for each in floats),
        *(("onnx-legacy", each) for each in (*floats, "int8-dynamic", "int8-static")),
    ]


def test_what_eager_loses_in_the_type_is_no_fault_of_the_export(
    trials: list[dict[str, Any]],
) -> None:
    assert find(trials, "Overflows", "torch.export", None)["status"] == "ok"
    half = find(trials, "Overflows", "torch.export", "float16")
    assert (half["status"], half["max_abs_error"]) == ("lossy", 0.0)
    assert half["loss"]["eager"]["relative"] > half["loss"]["tolerance"]
    other = find(trials, "Overflows", "onnx-legacy", "float16")
    assert other["loss"]["exported"]["relative"] < 0.01 < other["loss"]["eager"]["relative"]
    wide = find(trials, "Overflows", "torch.export", "bfloat16")
    assert (wide["status"], wide["loss"]["lossy"]) == ("ok", False)


def test_the_first_layer_that_explains_the_loss_is_told(trials: list[dict[str, Any]]) -> None:
    loss = find(trials, "Overflows", "torch.export", "float16")["loss"]
    assert (loss["layer"]["name"], loss["layer"]["location"]["row"]) == ("last", 20)
    assert loss["given"]["relative"] > 0.5  # it overflows in the line before
    assert not loss["in_file"]
    loss = find(trials, "Overflows", "onnx-legacy", "int8-static")["loss"]
    assert loss["in_file"]
    assert loss["layer"]["name"] in ("first", "scale")


def test_a_type_in_which_eager_does_not_run_is_its_own_outcome(
    trials: list[dict[str, Any]],
) -> None:
    found = find(trials, "Mixed", "torch.export", "float16")
    assert (found["status"], found["stage"], found["findings"]) == ("eager fails", "eager", [])
    assert found["message"].startswith("eager itself does not run in float16: ")
    assert found["location"]["row"] == 30
    assert found["loss"] is None


def test_kernels_that_a_runtime_lacks_are_told_at_load(trials: list[dict[str, Any]]) -> None:
    found = find(trials, "Overflows", "onnx-legacy", "bfloat16")
    assert (found["status"], found["stage"], found["findings"]) == ("failed", "load", [])


def test_quantized_files_are_measured_beside_layers_rounded_so(
    trials: list[dict[str, Any]], folder: Path
) -> None:
    for dtype in ("int8-dynamic", "int8-static"):
        loss = find(trials, "Overflows", "onnx-legacy", dtype)["loss"]
        assert 0 < loss["eager"]["relative"] < 0.1
        assert 0 < loss["exported"]["relative"] < 0.5
        assert find(trials, "Overflows", "onnx-legacy", dtype)["status"] in ("ok", "lossy")
    onnx = pytest.importorskip("onnx")
    path = folder / "out" / "nets.Overflows" / "onnx-legacy-int8-static" / "int8-static.onnx"
    kinds = {node.op_type for node in onnx.load(path).graph.node}
    assert {"QuantizeLinear", "DequantizeLinear"} <= kinds


def test_bfloat16_goes_in_and_out_of_onnx_runtime_though_numpy_lacks_it(tmp_path: Path) -> None:
    given = Model("m.py", "Widened", 1, {}, (Input("x", "float32", ("batch", 8)),), {"batch": 2})
    subject = Subject(Widened(), given, ({"batch": 3},), UserLines({}, ()), {}, 2**30)
    found = try_precision("onnx-legacy", "bfloat16", subject, tmp_path, opset=None)
    assert (found.status, found.message, found.error) == ("ok", "", 0.0)
    assert found.loss is not None
    assert 0 < (found.loss.exported.relative or 0.0) < 0.01


def test_types_are_asked_for_by_commas_and_others_refused(folder: Path) -> None:
    done = lintorch("export", "nets.py", "--dtype", "float16,int4", cwd=folder)
    assert done.returncode == 2
    assert "'int4' is none of float32, float16" in done.stderr


@pytest.mark.parametrize("other", [["--dtype", "float16"], ["--time"]])
def test_calls_are_suggested_of_the_model_as_it_is_built(folder: Path, other: list[str]) -> None:
    done = lintorch("export", "nets.py", "--suggest", *other, cwd=folder)
    assert done.returncode == 2
    assert f"--suggest cannot be combined with {other[0]}" in done.stderr


def test_people_read_how_far_off_each_is(folder: Path) -> None:
    given = ("export", "nets.py", "--model", "Overflows", "--to", "torch.export")
    done = lintorch(*given, "--dtype", "float16,int8-static", cwd=folder)
    text = " ".join(done.stdout.split())
    assert "torch.export float16" in text
    assert "int8" not in text
    assert "more than 2% is lossy" in text
    assert "torch.export float16: the type loses it: eager itself is" in text
    assert "float16: first explained in eager by what last (Linear) is given" in text
    assert done.returncode == 1


def test_only_floating_numbers_are_cast() -> None:
    module = nn.BatchNorm1d(2)
    cast = cast_module(module, "float16")
    kinds = {name: value.dtype for name, value in cast.state_dict().items()}
    assert kinds["weight"] is torch.float16
    assert kinds["num_batches_tracked"] is torch.int64
    assert module.weight.dtype is torch.float32
    inputs = (Input("x", "float32", (2,)), Input("i", "int64", (2,)), PlainArgument("f", "True"))
    fed = [getattr(each, "dtype", "") for each in cast_inputs(Model("", "", 1, {}, inputs), "float16").inputs]  # fmt: skip
    assert fed == ["float16", "int64", ""]


def test_what_is_not_finite_is_beyond_any_tolerance() -> None:
    assert is_beyond(Distance(why="numbers that are not finite"), 0.5)
    assert is_beyond(Distance(0.3, 0.03), 0.02)
    assert not is_beyond(Distance(0.3, 0.03), 0.1)
    assert not is_beyond(Distance(1e-9, None), 0.02)


def test_without_types_models_are_tried_as_they_are_built() -> None:
    assert list(list_precisions("onnx", ())) == [""]
    assert list(list_precisions("ncnn", ("int8-static", "float16", "float32"))) == [""]
    assert list(list_precisions("onnx", ("float16", "float32", "float16"))) == ["float16", ""]
    assert list(list_precisions("executorch", QUANTIZATIONS)) == [*QUANTIZATIONS]
    assert list(list_precisions("openvino", QUANTIZATIONS)) == ["int8-static"]
    assert list(list_precisions("torch.export", QUANTIZATIONS)) == []


@pytest.mark.parametrize(
    ("exporter", "needs", "precision"),
    [
        ("executorch", ("executorch", "torchao"), "int8-dynamic"),
        ("executorch", ("executorch", "torchao"), "int8-static"),
        ("openvino", ("openvino", "nncf"), "int8-static"),
    ],
)
def test_other_runtimes_quantize_by_themselves(
    exporter: str,
    needs: tuple[str, ...],
    precision: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))  # their telemetry writes there
    for package in needs:
        pytest.importorskip(package)
    torch.manual_seed(0)
    inputs = (Input("x", "float32", ("batch", 3, 16, 16)), PlainArgument("scale", "2.0"))
    given = Model("m.py", "Scaled", 1, {}, inputs, {"batch": 2})
    subject = Subject(Scaled().eval(), given, ({"batch": 3},), UserLines({}, ()), {}, 2**30)
    found = try_precision(exporter, precision, subject, tmp_path, opset=None)
    assert (found.status, found.message) == ("ok", ""), found.message
    assert found.loss is not None
    assert 0 < (found.loss.exported.relative or 0.0) < 0.1
    layer = found.loss.layer
    assert layer is None or (found.loss.in_file and layer.name in ("norm", "head"))
