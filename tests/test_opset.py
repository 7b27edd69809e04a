"""`lintorch opset`: the lowest opset, and the first release of a runtime, that takes a model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from running import lintorch

from lintorch.record.outcomes import OperatorUse, Outcome
from lintorch.run.foretell_opsets import foretell_graph
from lintorch.targets.first_releases import OperatorNeed, find_first_release
from lintorch.targets.written_files import (
    OPSETS,
    find_first_opset,
    is_written_by,
    list_measured,
    list_needed,
)

HEAD = """import torch
from torch import nn
from torch.nn import functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)

    def forward(self, image, other):
        x = self.conv(image).relu()
"""


def ask(tmp_path: Path, body: str, *options: str) -> Any:
    """The forecast of a model whose forward ends so."""
    tmp_path.joinpath("net.py").write_text(HEAD + f"        {body}\n")
    done = lintorch("opset", "net.py", "--output-format", "json", *options, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (model,) = json.loads(done.stdout)
    return model


def of(model: Any, exporter: str) -> Any:
    return next(each for each in model["exporters"] if each["exporter"] == exporter)


FIRST = [
    # what forward ends with, the lowest opset of the legacy exporter, what decides it
    ("return x", 9, []),
    ("return F.grid_sample(x, other)", 16, ["torch.nn.functional.grid_sample"]),
    ("return x.cumsum(1)", 11, ["torch.cumsum"]),
    ("return torch.einsum('bchw,bc->bhw', x, other)", 12, ["torch.einsum"]),
    ("return F.scaled_dot_product_attention(x, x, x)", 14,
     ["torch.nn.functional.scaled_dot_product_attention"]),
    ("return F.interpolate(x, scale_factor=2, mode='bicubic')", 11,
     ["torch.nn.functional.interpolate[bicubic]"]),
    ("return F.interpolate(x, scale_factor=2)", 9, []),
    ("return x.triu()", 14, ["torch.triu"]),
    ("return F.layer_norm(x, x.shape[1:])", 9, []),
]  # fmt: skip


@pytest.mark.parametrize(("body", "opset", "deciding"), FIRST, ids=[each[0] for each in FIRST])
def test_the_lowest_opset_is_that_of_the_call_that_needs_most(
    tmp_path: Path, body: str, opset: int, deciding: list[str]
) -> None:
    model = ask(tmp_path, body)
    legacy = of(model, "onnx-legacy")
    assert model["sure"], model["unknown"]
    assert (legacy["lowest_opset"], legacy["because_of"]) == (opset, deciding)
    assert of(model, "onnx")["lowest_opset"] == 18


def test_the_operator_that_decides_on_a_release_is_named(tmp_path: Path) -> None:
    found = of(ask(tmp_path, "return F.grid_sample(x, other)", "--target", "trt"), "onnx-legacy")
    (tensorrt,) = found["runtimes"]
    assert (tensorrt["runtime"], tensorrt["first_release"]) == ("tensorrt", "8.5")
    assert tensorrt["because_of"] == ["GridSample"]


def test_a_call_that_nobody_knows_makes_it_the_least(tmp_path: Path) -> None:
    model = ask(tmp_path, "return other_module.sharpen(x)")
    assert not model["sure"]
    assert [each["row"] for each in model["unknown"]] == [13]
    done = lintorch("opset", "net.py", cwd=tmp_path)
    assert "onnx-legacy at least opset 9" in done.stdout
    assert "1 unknown" in done.stdout


def test_what_an_exporter_refuses_at_every_opset_is_said(tmp_path: Path) -> None:
    found = of(ask(tmp_path, "return x.cumprod(1)"), "onnx-legacy")
    assert found["lowest_opset"] is None
    assert found["refuses"] == ["torch.cumprod"]
    assert not found["runtimes"]


OF_ARGUMENTS = [
    # what forward ends with, the lowest opset of the legacy exporter, that of the new one
    ("q = x.flatten(2); return F.scaled_dot_product_attention(q, q, q)", 14, None),
    ("q = x.flatten(2); return F.scaled_dot_product_attention(q, q, q, is_causal=True)", 14, None),
    ("return F.scaled_dot_product_attention(x[None], x[None], x[None])", 14, None),
    ("return F.interpolate(x, size=(4, 4), mode='bilinear', antialias=True)", None, 18),
    ("return x.long() & 3", 18, 18),
    ("return (x > 0) & (x < 1)", 9, 18),
    ("return torch.stft(x.flatten(), 4, window=other, return_complex=False)", 17, 18),
    ("return nn.MultiheadAttention(4, 2)(x[0], x[0], x[0])[0]", 13, 18),
]


@pytest.mark.parametrize(
    ("body", "legacy", "new"), OF_ARGUMENTS, ids=[each[0] for each in OF_ARGUMENTS]
)
def test_what_is_written_may_depend_on_ranks_types_and_arguments(
    tmp_path: Path, body: str, legacy: int | None, new: int | None
) -> None:
    model = ask(tmp_path, body)
    lowest = [of(model, each)["lowest_opset"] for each in ("onnx-legacy", "onnx")]
    assert lowest == [legacy, new]


def test_a_single_release_is_judged_by_itself(tmp_path: Path) -> None:
    asked = ("--target", "tensorrt-8.4", "--target", "tensorrt-8.6")
    found = of(ask(tmp_path, "return F.grid_sample(x, other)", *asked), "onnx-legacy")
    takes = {each["release"]: (each["takes"], each["because_of"]) for each in found["runtimes"]}
    assert takes == {"8.4": ("no", ["GridSample"]), "8.6": ("yes", [])}


@pytest.mark.parametrize("name", ["tensorr", "coreml", "tensorrt-1.0"])
def test_a_name_that_stands_for_no_runtime_of_onnx_is_one_error(tmp_path: Path, name: str) -> None:
    done = lintorch("opset", "--target", name, cwd=tmp_path)
    assert done.returncode == 2
    assert name in done.stderr
    assert "Traceback" not in done.stderr


def test_without_models_that_is_said(tmp_path: Path) -> None:
    assert lintorch("opset", cwd=tmp_path).stdout == "No Python files found.\n"
    tmp_path.joinpath("plain.py").write_text("x = 1\n")
    assert lintorch("opset", cwd=tmp_path).stdout == "No models found.\n"


def test_a_path_may_name_one_model_of_a_file(tmp_path: Path) -> None:
    tmp_path.joinpath("net.py").write_text(
        f"{HEAD}        return x\n\n\nclass Other(Net):\n    def forward(self, image):\n        return image\n"
    )
    for path in ("net.py:Other", str(tmp_path / "net.py:Other")):
        done = lintorch("opset", path, "--output-format", "json", cwd=tmp_path)
        assert [each["model"] for each in json.loads(done.stdout)] == ["net.py:Other"]


def test_an_unknown_operator_is_never_taken() -> None:
    found = find_first_release("tensorrt", [OperatorNeed("NoSuchOperator")], 17, 8)
    assert found.version is None
    assert found.reasons == ("NoSuchOperator",)
    found = find_first_release("onnxruntime", [OperatorNeed("Inverse", "com.example")], 17, 8)
    assert found.version is None


def test_a_newer_file_needs_a_release_that_reads_it() -> None:
    at_8, at_10 = (
        find_first_release("onnxruntime", [OperatorNeed("Relu")], 17, n) for n in (8, 10)
    )
    assert (at_8.version, at_10.version) == ("1.12", "1.18")
    assert at_10.reasons == ("IR version 10",)


def test_a_graph_needs_the_opset_that_last_defined_one_of_its_operators() -> None:
    graph = tuple(OperatorUse(name, 17, types=("float32",)) for name in ("Conv", "Relu", "Resize"))
    outcome = Outcome("onnx-legacy", "ok", opset=17, ir=8, graph=graph)
    found = foretell_graph(outcome, ("onnxruntime",))
    assert found is not None
    assert (found.opset, found.deciding) == (14, ("Relu",))
    assert foretell_graph(Outcome("onnx", "failed"), ("onnxruntime",)) is None


@pytest.mark.parametrize("exporter", OPSETS)
def test_what_is_written_at_an_opset_is_known_from_the_first_on(exporter: str) -> None:
    for name in ("torch.nn.Conv2d", "operator.Add", "item[slice]", "torch.view"):
        first = find_first_opset(name, exporter)
        assert first == OPSETS[exporter][0]
        assert all(list_needed(name, exporter, n) is not None for n in OPSETS[exporter])


def test_a_model_of_which_no_operation_was_followed_is_no_sure_answer(tmp_path: Path) -> None:
    tmp_path.joinpath("net.py").write_text(
        "from torch import nn\n\n\nclass Net(nn.Module):\n"
        "    def __init__(self, blocks):\n        super().__init__()\n"
        "        self.network = nn.Sequential(*blocks)\n\n"
        "    def forward(self, x):\n        return self.network(x)\n"
    )
    told = lintorch("opset", "net.py", cwd=tmp_path).stdout
    assert "onnx-legacy at least opset 9" in told
    assert "not followed to its end" in told


def test_a_base_class_that_a_package_brings_by_stars_makes_a_model(tmp_path: Path) -> None:
    """Also where the file itself is among those that the package imports whole."""
    nets = tmp_path / "nets"
    nets.mkdir()
    base = "from torch import nn\n\n\nclass Base(nn.Module):\n    pass\n"
    body = "    def forward(self, x):\n        return x.relu()\n"
    nets.joinpath("base.py").write_text(base)
    nets.joinpath("__init__.py").write_text("from .base import *\nfrom .net import *\n")
    nets.joinpath("net.py").write_text(f"from nets import Base\n\n\nclass Net(Base):\n{body}")
    done = lintorch("opset", "nets/net.py", "--output-format", "json", cwd=tmp_path)
    assert [each["model"] for each in json.loads(done.stdout)] == ["nets/net.py:Net"]


def test_a_private_name_comes_by_no_star(tmp_path: Path) -> None:
    tmp_path.joinpath("base.py").write_text(
        "from torch import nn\n\n\nclass _Base(nn.Module):\n    pass\n"
    )
    tmp_path.joinpath("parts.py").write_text("from base import *\n")
    body = "from parts import _Base\n\n\nclass Net(_Base):\n    def forward(self, x):\n        return x\n"
    tmp_path.joinpath("net.py").write_text(body)
    done = lintorch("opset", "net.py", "--output-format", "json", cwd=tmp_path)
    assert json.loads(done.stdout) == []


@pytest.mark.parametrize("exporter", OPSETS)
def test_what_was_measured_was_measured_with_each_exporter(exporter: str) -> None:
    """What one of them lacks made a model of known calls one of which only the least is known."""
    names = list_measured()
    assert len(names) > 500
    assert [name for name in names if not is_written_by(name, exporter)] == []
