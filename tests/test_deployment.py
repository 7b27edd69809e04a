"""What a project deploys with is read off its own export calls."""

from __future__ import annotations

import pytest

from lintorch.core.profile import Profile
from lintorch.facts.deployment import read_deployment

NEWER, OLDER = (2, 13), (2, 8)


def profile(text: str, path: str = "export.py", torch: tuple[int, int] = NEWER) -> Profile | None:
    return read_deployment([(path, text.encode())], torch)


def leaves_open(text: str) -> bool:
    """Whether a project with this text exports with open sizes."""
    found = profile(text)
    assert found is not None
    return found.dynamic


@pytest.mark.parametrize(
    ("text", "exporters"),
    [
        ("import torch\ntorch.onnx.export(m, x, 'f')", {"onnx"}),
        ("import torch.onnx as to\nto.export(m, x, 'f', dynamo=False)", {"onnx-legacy"}),
        ("from torch.onnx import export\nexport(m, x, 'f', dynamo=True)", {"onnx"}),
        ("import torch\ntorch.onnx.export(m, x, 'f', dynamo=new)", {"onnx", "onnx-legacy"}),
        ("import torch\ntorch.onnx.export(m, x, 'f', **options)", {"onnx", "onnx-legacy"}),
        ("from torch.export import export as e\ne(m, (x,))", {"torch.export"}),
        ("import torch\nprogram = torch.jit.trace(m, x)", {"torchscript-trace"}),
        ("from torch import jit\njit.script(m).save('f')", {"torchscript-script"}),
        ("import torch\nlit.to_torchscript(method='trace')", {"torchscript-trace"}),
        ("def main():\n    import torch\n    torch.jit.script(m)", {"torchscript-script"}),
    ],
)
def test_exporters_are_read_off_the_calls(text: str, exporters: set[str]) -> None:
    found = profile(text)
    assert found is not None
    assert found.exporters == exporters


def test_what_onnx_export_means_depends_on_the_release_of_torch() -> None:
    found = profile("import torch\ntorch.onnx.export(m, x, 'f')", torch=OLDER)
    assert found is not None
    assert found.exporters == {"onnx-legacy"}


@pytest.mark.parametrize(
    "text",
    [
        "x = 'torch.onnx.export(m, x)'",
        "import torch\ndef export(m): ...\nexport(m)",
        "import torch\n@torch.jit.script\ndef f(x): ...",
        "import torch\ndef f(x): ...\ng = torch.jit.script(f)",
        "import torch\ntorch.onnx.export(m, x",
    ],
)
def test_what_is_no_export_call_says_nothing(text: str) -> None:
    assert profile(text) is None


def test_tests_of_the_project_do_not_count() -> None:
    text = "import torch\ntorch.onnx.export(m, x, 'f')\n"
    assert profile(f"import unittest\n{text}", "tests/test_export.py") is None
    assert profile(text, "src/latest.py") is not None
    assert profile(text, "src/demo_test.py") is not None


def test_sizes_are_fixed_only_where_every_call_leaves_them_so() -> None:
    fixed = "import torch\ntorch.onnx.export(m, x, 'f', dynamic_axes=None)\n"
    free = "torch.onnx.export(m, x, 'f', dynamic_axes={'x': [0]})\n"
    assert leaves_open(fixed) is False
    assert leaves_open(fixed + free) is True
    assert leaves_open("import torch\ntorch.jit.trace(m, x)") is True


def test_the_lowest_opset_counts() -> None:
    text = "import torch\nfor f in fs:\n    {}\n    {}".format(
        "torch.onnx.export(m, x, f, opset_version=17)",
        "torch.onnx.export(m, x, f, opset_version=11)",
    )
    found = profile(text)
    assert found is not None
    assert (found.opset_asked("onnx"), found.opset_of("onnx")) == (11, 18)
    assert found.opset_of("onnx-legacy") == 11


def test_each_exporter_writes_the_opset_that_its_own_calls_ask_for() -> None:
    text = "\n".join((
        "import torch",
        "torch.onnx.export(m, x, f, opset_version=11, dynamo=False)",
        "torch.onnx.export(m, x, f)",
    ))  # fmt: skip
    found = profile(text)
    assert found is not None
    assert (found.opset_of("onnx-legacy"), found.opset_of("onnx")) == (11, 20)
    assert found.opset_asked("onnx") is None


@pytest.mark.parametrize(
    ("sizes", "auto"),
    [
        ("", False),
        (", dynamic_shapes=({0: Dim.DYNAMIC}, {1: 'time', 2: Dim('w')})", False),
        (", dynamic_shapes={'x': {0: 2 * Dim('half'), 1: Dim.STATIC}}", False),
        (", dynamic_shapes=fixed", False),
        (", dynamic_axes={'x': [0]}", False),
        (", dynamic_shapes=({0: Dim.AUTO},)", True),
        (", dynamic_shapes=left", True),
        (", dynamic_shapes=filled", True),
        (", dynamic_shapes=given", True),
        (", dynamic_shapes=one", True),
        (", dynamic_shapes=ShapesCollection()", True),
        (", **options", True),
    ],
)
def test_sizes_may_be_left_to_auto_unless_all_are_seen_to_be_decided(
    sizes: str, auto: bool
) -> None:
    text = f"""
import torch
from torch.export import Dim, export
batch = Dim("batch")
fixed = ({{0: batch}},)
left = ({{0: batch, 1: Dim.AUTO}},)
filled = {{}}
filled["x"] = {{0: Dim.AUTO}}
one, two = tables()

def deploy(m, x, given):
    export(m, (x,){sizes})
"""
    found = profile(text)
    assert found is not None
    assert found.auto is auto
