"""Limits of what models may take: as they were set, and of the work that is a model's own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from running import lintorch

from lintorch.host.examine_models import examine_models
from lintorch.record.model_options import ModelLimits, ModelOptions
from lintorch.record.models import Failure, Model
from lintorch.record.outcomes import Outcome
from lintorch.report.matrix import Matrix, Row, Tried

WORKING = """
import os
import time

from torch import nn

os.sched_setaffinity(0, {core})


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)

    def forward(self, x):
        end = time.process_time() + {seconds}
        while time.process_time() < end:
            pass
        return self.conv(x)
"""
SLEEPING = """
import time

from torch import nn


class Net(nn.Module):
    def forward(self, x):
        time.sleep(600)
        return x
"""


@pytest.mark.skipif(sys.platform != "linux", reason="keeps processes to one core")
def test_other_processes_that_have_the_core_take_nothing_of_a_models_time(tmp_path: Path) -> None:
    core = {min(os.sched_getaffinity(0))}
    net = tmp_path / "net.py"
    net.write_text(WORKING.format(core=core, seconds=0.15))
    others: list[subprocess.Popen[bytes]] = []

    def crowded(line: str) -> None:
        spinning = [sys.executable, "-Sc", "while True: pass"]
        others.extend(
            subprocess.Popen(spinning, preexec_fn=lambda: os.sched_setaffinity(0, core))
            for _ in range(4)
        )

    options = ModelOptions(str(tmp_path), limits=ModelLimits(seconds=6))
    try:
        (report,) = examine_models([str(net)], options, progress=crowded)
    finally:
        for other in others:
            other.kill()
            other.wait()
    assert others
    assert report.failure is None
    assert report.model is not None
    assert set(report.model.sizes) == {"batch", "height", "width"}


def test_the_seconds_of_a_model_are_an_option(tmp_path: Path) -> None:
    tmp_path.joinpath("net.py").write_text(SLEEPING)
    options = ["--trace-seconds", "3", "--output-format", "json"]
    (told,) = json.loads(lintorch("models", "net.py", *options, cwd=tmp_path).stdout)
    assert told["stage"] == "stopped"
    assert told["cause"] == "it did not finish within 3 s; `trace-seconds` raises this limit"


def test_the_seconds_of_a_trial_are_a_setting_and_what_is_stopped_is_no_failure(
    tmp_path: Path,
) -> None:
    slow = SLEEPING.replace(
        "time.sleep(600)", "torch.jit.is_tracing() and time.sleep(600)"
    ).replace("import time", "import time\n\nimport torch")
    tmp_path.joinpath("net.py").write_text(slow)
    tmp_path.joinpath("lintorch.toml").write_text("trial-seconds = 3\n")
    options = ["--to", "torchscript-trace", "--output-format", "json"]
    done = lintorch("export", "net.py", *options, cwd=tmp_path)
    (trial,) = json.loads(done.stdout)["trials"]
    assert (trial["status"], trial["stage"]) == ("stopped", "stopped")
    assert trial["message"] == "it did not finish within 3 s; `trial-seconds` raises this limit"
    assert done.returncode == 1


def test_a_matrix_counts_what_was_stopped_apart() -> None:
    stopped = Tried(Outcome("onnx", "failed", "stopped", "it did not finish within 3 s"))
    failed = Tried(Outcome("torch.export", "failed", "export", "no"))
    ran = Row(Model("net.py", "Net", 3), tried=(stopped, failed))
    lost = Row(None, Failure("net.py", "Other", 9, "stopped", "it did not finish within 3 s"))
    assert Matrix(("onnx", "torch.export"), (ran, lost)).count_statuses() == {
        "failed": 1,
        "stopped": 1,
    }
