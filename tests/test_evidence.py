"""`lintorch check --trace --export`: runs decide, exports prove, and one finding tells of all three."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from running import CHECKOUT, findings, lintorch

POOLED = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, padding=1)
        self.pool = nn.AdaptiveAvgPool2d(7)

    def forward(self, image):
        return self.pool(self.stem(image)).flatten(1)
"""
FIXED = """[models.net]
factory = "net.py:Net"
inputs = ["float32[batch, 3, 14, 14]"]
"""


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], dict[str, Any]]:
    """What the README's command finds in the examples, by code and file."""
    folder = tmp_path_factory.mktemp("copy")
    shutil.copytree(CHECKOUT / "examples", folder / "examples")
    found = findings("examples", "--trace", "--export", "onnx", cwd=folder)
    return {(f["code"], Path(f["filename"]).name): f for f in found}


@pytest.mark.parametrize(
    ("code", "file", "evidence"),
    [
        ("LT101", "psp.py", "trace"),
        ("LT101", "net.py", "trace"),
        ("LT116", "psp.py", "export"),
        ("LT117", "head.py", "trace"),
        ("LT119", "head.py", "trace"),
        ("LT201", "export.py", "trace"),
        ("LT203", "head.py", "trace"),
        ("LT301", "net.py", "trace"),
        ("LT401", "losses.py", "trace"),
    ],
)
def test_the_examples_hold_the_hazards(
    examples: dict[tuple[str, str], dict[str, Any]], code: str, file: str, evidence: str
) -> None:
    assert examples[code, file]["evidence"] == evidence


def test_the_examples_hold_nothing_that_no_rule_explains(
    examples: dict[tuple[str, str], dict[str, Any]],
) -> None:
    assert not {code for code, _ in examples} & {"LT006", "LT007", "LT904", "LT905"}


def test_a_run_withdraws_what_it_proves_harmless(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(POOLED)
    assert [f["code"] for f in findings(cwd=tmp_path)] == ["LT116"]
    (tmp_path / "lintorch.toml").write_text(FIXED)
    done = lintorch("check", "--trace", "--show-refuted", cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    assert "Withdrew 1 finding" in done.stdout
    assert "14×14" in done.stdout


def test_an_export_reproduces_what_source_saw(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(POOLED)
    (found,) = findings("--export", "onnx-legacy", cwd=tmp_path)
    assert (found["code"], found["evidence"]) == ("LT116", "export")
    assert found["location"]["row"] == 12
    assert found["model"] == "net.py:Net"


def test_a_model_that_exits_is_one_finding_and_the_others_run(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(POOLED)
    leaving = POOLED.replace("return self.pool", "raise SystemExit(3)\n        return self.pool")
    (tmp_path / "leaving.py").write_text(leaving)
    done = lintorch("check", "--trace", "--select", "LT0,LT116", cwd=tmp_path)
    assert done.returncode == 1
    assert "leaving.py:Net" in done.stdout or "Net was" in done.stdout
    assert "evidence: trace of net.py:Net" in done.stdout


def test_a_graph_that_could_not_be_made_names_its_line_and_who_needs_it(tmp_path: Path) -> None:
    counting = POOLED.replace("return self.pool", "int(image.size(0))\n        return self.pool")
    (tmp_path / "net.py").write_text(counting)
    done = lintorch("check", "--trace", cwd=tmp_path)
    assert "no torch.fx graph (net.py:12; exports do not need one)" in done.stdout


def test_without_torch_the_source_is_checked_and_the_cause_named(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(POOLED)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "bare"], check=True)
    python = next(p for p in tmp_path.glob("bare/*/python*") if p.stem == "python")
    done = lintorch("check", "net.py", "--trace", "--python", python, cwd=tmp_path)
    assert done.returncode == 2
    assert "pip install torch onnx" in done.stderr
    assert "LT116" in done.stdout


def test_models_lists_what_is_found_and_what_it_is_fed(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(POOLED)
    broken = POOLED.replace("super().__init__()", "raise RuntimeError('no weights')")
    (tmp_path / "broken.py").write_text(broken)
    done = lintorch("models", cwd=tmp_path)
    assert done.returncode == 0
    assert "net.py:Net on image: float32[batch=2, 3, height=64, width=64]" in done.stdout
    assert "broken.py:Net" in done.stdout
    assert "no weights" in done.stdout


def test_a_line_beside_the_checked_file_is_named_as_seen_from_here(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "part.py").write_text(
        "from torch import nn\n\n\nclass Part(nn.Module):\n    def forward(self, x):\n"
        "        return [y for y in map(lambda y: y * 2, (x,))][0]\n"
    )
    (tmp_path / "project" / "net.py").write_text(
        POOLED.replace("import torch\n", "from part import Part\n").replace(
            "nn.AdaptiveAvgPool2d(7)", "Part()"
        )
    )
    (tmp_path / "here").mkdir()
    net = tmp_path / "project" / "net.py"
    (found,) = findings(net, "--export", "torchscript-script", cwd=tmp_path / "here")
    assert (found["code"], found["location"]["row"]) == ("LT904", 6)
    assert Path(found["filename"]).samefile(tmp_path / "project" / "part.py")


def test_a_trial_that_ends_the_process_says_nothing_of_the_export(tmp_path: Path) -> None:
    leaving = POOLED.replace(
        "return self.pool", "torch.jit.is_tracing() and exit(3)\n        return self.pool"
    )
    (tmp_path / "net.py").write_text(leaving)
    found = findings("--export", "torchscript-trace", "--select", "LT0,LT9", cwd=tmp_path)
    assert [f["code"] for f in found] == ["LT007"]
    assert "torchscript-trace" in found[0]["message"]


BAKED = """import torch
from torch import nn
from torch.export import Dim


class Net(nn.Module):
    def forward(self, x):
        return x.view(int(x.size(0)), -1) * 2


def deploy(x):
"""
EXPORTED = '    torch.onnx.export(Net(), (x,), "net.onnx", dynamo=True, dynamic_shapes={})\n'


def test_an_export_that_comes_out_right_takes_its_exporter_out(tmp_path: Path) -> None:
    traced = "    torch.jit.trace(Net(), (x,))\n"
    (tmp_path / "net.py").write_text(BAKED + EXPORTED.format("({0: Dim.DYNAMIC},)") + traced)
    (found,) = findings("--export", "onnx", cwd=tmp_path)
    verdict = "warning under torchscript-trace; right under onnx; write `x.size(0)`"
    assert found["message"].endswith(verdict)
    (tmp_path / "net.py").write_text(BAKED + EXPORTED.format("({0: Dim.DYNAMIC},)"))
    assert [f["code"] for f in findings(cwd=tmp_path)] == ["LT101"]
    done = lintorch("check", "--export", "onnx", "--show-refuted", cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    assert "onnx exports it right, also when batch changes" in done.stdout


def test_an_export_with_other_sizes_than_the_project_takes_nothing_out(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(BAKED + EXPORTED.format("({0: Dim.AUTO},)"))
    (found,) = findings("--export", "onnx", cwd=tmp_path)
    assert "where dynamic_shapes leaves a size to Dim.AUTO" in found["message"]


def test_sizes_that_every_export_call_fixes_are_not_varied(tmp_path: Path) -> None:
    fixed = EXPORTED.replace("dynamo=True", "dynamo=False").format("None")
    (tmp_path / "net.py").write_text(BAKED + fixed)
    looking = ("--export", "onnx-legacy", "--extend-select", "advice")
    assert [f["code"] for f in findings(*looking, cwd=tmp_path)] == ["LT126", "LT129"]


SHARED = """import torch
from torch import nn


def fold(x):
    return x.view(int(x.size(0)), -1) * 2


class Right(nn.Module):
    def forward(self, x):
        return fold(x)


class Refused(nn.Module):
    def forward(self, x):
        return fold(torch.stack([row.sort(stable=bool(row.sum() > 0))[0] for row in x]))


def deploy(x):
    torch.onnx.export(Right(), (x,), "net.onnx", dynamic_axes={"x": {0: "batch"}})
"""


def test_a_line_that_another_model_could_not_export_keeps_its_finding(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(SHARED)
    found = findings("--export", "onnx", cwd=tmp_path)
    assert "LT101" in {f["code"] for f in found}


WORDED = """import torch
from torch import nn


class Loop(nn.Module):
    def forward(self, x):
        return torch.stack([row * 2 for row in torch.relu(x)])


class Single(nn.Module):
    def forward(self, x):
        if x.size(0) == 1:
            return x * 2
        return x


class Half(nn.Module):
    def forward(self, x):
        return x[: int(x.shape[0] / 2)]
"""
LOUD = """
def deploy(x):
    torch.jit.trace(Loop(), (x,))
    torch.export.export(Single(), (x,), dynamic_shapes=({0: torch.export.Dim.DYNAMIC},))
"""


def test_what_is_exported_and_raises_later_is_not_called_refused(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(WORDED + LOUD)
    told = {f["location"]["row"]: f["message"] for f in findings(cwd=tmp_path)}
    assert "fails at run time under torchscript-trace" in told[7]
    assert "refused by torch.export" in told[7]
    assert "silently wrong under torch.export" in told[12]
    assert "fails at run time under torch.export" in told[19]


def test_an_export_that_raises_when_it_runs_is_not_called_silent(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(WORDED.partition("class Single")[0])
    (found,) = findings("--export", "onnx-legacy", "--select", "LT105", cwd=tmp_path)
    assert found["message"].startswith("onnx-legacy fails at run time: at batch 3 the exported")


DRAWN = """import torch
from torch import nn


class Drawn(nn.Module):
    def __init__(self):
        super().__init__()
        self.drawing = torch.Generator()

    def forward(self, x):
        return x + torch.bernoulli(x.sigmoid(), generator=self.drawing)
"""


def test_no_higher_opset_is_advised_where_none_helps(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(DRAWN)
    to = ("--to", "onnx", "--to", "onnx-legacy", "--output-format", "json")
    tried = json.loads(lintorch("export", *to, cwd=tmp_path).stdout)["trials"]
    (said,), (said_by_legacy,) = ([f["message"] for f in each["findings"]] for each in tried)
    assert said.endswith("draw without generator=, or outside of the model")
    assert said_by_legacy.endswith("draw without generator=, or outside of the model")
