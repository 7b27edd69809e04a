"""An export whose outputs are right, and that is wrong in a part which has little effect on them."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("onnxruntime")

from running import lintorch

NETS = """\
import torch
import torch.nn.functional as F
from torch import nn


class Gate(nn.Module):
    def forward(self, x):
        return x.mean((2, 3), keepdim=True) * float(x.shape[2])


class Padded(nn.Module):
    def forward(self, x):
        return F.pad(x, (0, 0, 0, int(x.shape[2]) // 7))


class Tiny(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = Gate()

    def forward(self, image):
        return image + 1e-9 * self.gate(image)


class Open(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.ModuleDict({"gate": Gate()})

    def forward(self, image):
        return {"image": image * torch.sigmoid(40 + self.inner["gate"](image))}


class Unused(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = Gate()

    def forward(self, image):
        gate = self.gate(image)
        return image if not self.training else image * gate


class CutAway(nn.Module):
    def __init__(self):
        super().__init__()
        self.padded = Padded()

    def forward(self, image):
        return self.padded(image)[:, :, : image.shape[2]] * 2
"""
ROW = 1 + NETS.splitlines().index("        return x.mean((2, 3), keepdim=True) * float(x.shape[2])")


@pytest.fixture(scope="module")
def trials(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], dict[str, Any]]:
    folder = tmp_path_factory.mktemp("project")
    folder.joinpath("net.py").write_text(NETS)
    to = ("--to", "torchscript-trace", "--to", "onnx-legacy")
    done = lintorch(
        "export", "net.py", *to, "--repro", "repro", "--output-format", "json", cwd=folder
    )
    assert done.returncode == 1, done.stderr
    found = json.loads(done.stdout)["trials"]
    return {(t["model"].partition(":")[2], t["exporter"]): t for t in found}


@pytest.mark.parametrize(
    ("model", "exporter", "part"),
    [
        ("Tiny", "torchscript-trace", "gate (Gate)"),
        ("Tiny", "onnx-legacy", "gate (Gate)"),
        ("Open", "onnx-legacy", "inner.gate (Gate)"),
    ],
)
def test_the_part_is_told_at_its_line(
    model: str, exporter: str, part: str, trials: dict[tuple[str, str], dict[str, Any]]
) -> None:
    trial = trials[model, exporter]
    assert (trial["status"], trial["part"], trial["repro"]) == ("wrong", part, None)
    (finding,) = trial["findings"]
    assert (finding["code"], finding["location"]["row"]) == ("LT101", ROW)
    assert f"what {part} gives differs from eager by" in finding["message"]


@pytest.mark.parametrize("model", ["Unused", "CutAway"])
@pytest.mark.parametrize("exporter", ["torchscript-trace", "onnx-legacy"])
def test_a_part_without_effect_is_no_harm(
    model: str, exporter: str, trials: dict[tuple[str, str], dict[str, Any]]
) -> None:
    assert (trials[model, exporter]["status"], trials[model, exporter]["findings"]) == ("ok", [])
