"""What is said of an export that gives wrong numbers: the part that does so alone, and a program that shows it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("onnxscript")
ort = pytest.importorskip("onnxruntime")

from running import interpreter, lintorch  # noqa: E402

NETS = """\
import torch
import torch.nn.functional as F
from torch import nn


class Gate(nn.Module):
    def forward(self, x):
        y = x * 2
        y.flatten(1).mul_(3)
        return y + x


class Halves(nn.Module):
    def forward(self, x, scale=1):
        return F.interpolate(x, scale_factor=0.5 * scale, mode="bilinear", antialias=True)


class Tokens(nn.Module):
    def forward(self, x):
        return x.reshape(int(x.shape[0]), -1)


class Block(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.before = nn.Sequential(nn.Conv2d(3, 3, 1), nn.ReLU())
        self.inner = inner

    def forward(self, x):
        return self.inner(self.before(x))


class Lost(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 3, 1)
        self.body = nn.ModuleList([nn.ReLU(), Block(Gate())])

    def forward(self, image):
        image = self.stem(image)
        for part in self.body:
            image = part(image)
        return image


class Odd(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block(nn.Identity())
        self.halves = Halves()

    def forward(self, image):
        return self.halves(self.block(image), scale=1)


class Raises(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block(Tokens())

    def forward(self, image):
        return self.block(image) + image.flatten(1).mean(1, keepdim=True)


class Itself(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block(nn.Tanh())

    def forward(self, image):
        if image.shape[2] > 80:
            image = image * 2
        return self.block(image)
"""
RUNS = {"onnx-legacy": "Lost", "onnx": "Odd", "torchscript-trace": "Raises"}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    folder.joinpath("net.py").write_text(NETS)
    return folder


@pytest.fixture(scope="module")
def trials(project: Path) -> dict[tuple[str, str], dict[str, Any]]:
    to = [word for name in RUNS for word in ("--to", name)]
    where = ["--repro", "repro", "--output", "out", "--output-format", "json"]
    done = lintorch("export", "net.py", *to, *where, cwd=project)
    assert done.returncode == 1, done.stderr
    found = json.loads(done.stdout)["trials"]
    return {(t["model"].partition(":")[2], t["exporter"]): t for t in found}


@pytest.mark.parametrize(
    ("model", "exporter", "part"),
    [
        ("Lost", "onnx-legacy", "body.1.inner (Gate)"),
        ("Odd", "onnx", "halves (Halves)"),
        ("Raises", "onnx-legacy", "block.inner (Tokens)"),
        ("Raises", "torchscript-trace", "block.inner (Tokens)"),
        ("Itself", "onnx-legacy", None),
    ],
)
def test_the_smallest_part_that_is_wrong_alone_is_named(
    model: str, exporter: str, part: str | None, trials: dict[tuple[str, str], dict[str, Any]]
) -> None:
    trial = trials[model, exporter]
    assert (trial["status"], trial["part"]) == ("wrong", part)


def test_what_is_right_has_no_such_part(
    trials: dict[tuple[str, str], dict[str, Any]],
) -> None:
    assert trials["Lost", "onnx"]["status"] == "ok"
    assert trials["Lost", "onnx"]["part"] is None


def test_what_was_written_is_the_whole_model(
    project: Path, trials: dict[tuple[str, str], dict[str, Any]]
) -> None:
    path = project / trials["Lost", "onnx-legacy"]["artifact"]
    session = ort.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    assert [given.name for given in session.get_inputs()] == ["image"]
    assert {entry.name for entry in path.parent.iterdir()} == {"model.onnx"}


@pytest.mark.parametrize(
    ("model", "exporter", "said"),
    [
        ("Lost", "onnx-legacy", "wrong at {'batch': 2, 'height': 64, 'width': 64}: output 0 differs"),
        ("Odd", "onnx", "wrong at {'batch': 2, 'height': 129, 'width': 161}: output 0 differs"),
        ("Raises", "torchscript-trace", "must match the size"),
        ("Itself", "onnx", "wrong at {'batch': 2, 'height': 129, 'width': 161}: output 0 differs"),
    ],
)  # fmt: skip
def test_a_program_shows_it_without_lintorch(
    model: str,
    exporter: str,
    said: str,
    project: Path,
    trials: dict[tuple[str, str], dict[str, Any]],
    tmp_path: Path,
) -> None:
    program = project.joinpath(trials[model, exporter]["repro"]).read_text()
    assert "lintorch" not in program
    tmp_path.joinpath("repro.py").write_text(program)
    command = [interpreter(), "repro.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1
    assert said in done.stderr


def test_a_reader_is_told(tmp_path: Path) -> None:
    tmp_path.joinpath("net.py").write_text(NETS.partition("class Odd")[0])
    done = lintorch("export", "net.py", "--to", "onnx-legacy", cwd=tmp_path)
    assert "net.py:9: LT131 onnx-legacy is wrong: at the traced size" in done.stdout
    part = "onnx-legacy: the smallest part that is wrong alone is body.1.inner (Gate)"
    assert part in done.stdout


WHOLE_NUMBER = """\
from torch import nn


class Dropped(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(8, 8), nn.ReLU())
        self.drop = nn.Dropout(0)

    def forward(self, features):
        return self.drop(self.layers(features))
"""


def test_a_layer_of_torch_that_fails_alone_is_told_where_it_is_built(tmp_path: Path) -> None:
    tmp_path.joinpath("net.py").write_text(WHOLE_NUMBER)
    exporting = ("export", "net.py", "--to", "torchscript-script", "--output-format", "json")
    (trial,) = json.loads(lintorch(*exporting, cwd=tmp_path).stdout)["trials"]
    assert (trial["status"], trial["part"]) == ("failed", "drop (Dropout)")
    (finding,) = trial["findings"]
    row = 1 + WHOLE_NUMBER.splitlines().index("        self.drop = nn.Dropout(0)")
    assert (finding["code"], finding["location"]["row"]) == ("LT904", row)


HOOKED = """\
from torch import nn


class Hooked(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)
        self.kept = {}
        self.conv.register_forward_hook(lambda _, given, out: self.kept.update(conv=out))

    def forward(self, image):
        self.conv(image)
        return self.kept["conv"] * float(image.shape[2])
"""


def test_a_program_runs_a_model_that_reads_what_its_hooks_wrote(tmp_path: Path) -> None:
    tmp_path.joinpath("net.py").write_text(HOOKED)
    exporting = ("export", "net.py", "--to", "torchscript-trace", "--repro", "repro")
    done = lintorch(*exporting, "--output-format", "json", cwd=tmp_path)
    (trial,) = json.loads(done.stdout)["trials"]
    assert trial["message"].startswith("at height,width 129×161 the output differs")
    command = [interpreter(), trial["repro"]]
    shown = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert "'height': 129, 'width': 161}: output 0 differs" in shown.stderr
