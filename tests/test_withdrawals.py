"""What a run and a trial take back of what the source says: only what they saw every size of."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from running import lintorch

from lintorch.core.finding import Refuted
from lintorch.core.profile import Profile
from lintorch.evidence import (
    AS_TRACED,
    ModelRun,
    Outcome,
    Site,
    SizeRead,
    SizeUse,
    Trace,
    Trial,
    Variation,
)
from lintorch.evidence.size_changes import clear_lines
from lintorch.record.models import Model

NET = '''import math

import torch
from torch import nn


class Loop(nn.Module):
    """Only its batch varies in the runs."""

    example_input_array = torch.zeros(2, 8, 16)

    def __init__(self):
        super().__init__()
        self.head = nn.Linear(8, 4)

    def forward(self, x):
        return sum(self.head(x[:, :, i]) for i in range(x.size(2)))  # LT105 kept: loop


class Pair(nn.Module):
    example_input_array = (torch.zeros(2, 8, 12), torch.zeros(2, 8, 12))

    def __init__(self):
        super().__init__()
        self.head = nn.Linear(8, 4)

    def forward(self, left, right):
        out = self.head(left.mean(2)) + self.head(right.mean(2))
        if left.size(2) == right.size(2):  # LT104 kept: pair
            out = out * 2
        return out


class Held(nn.Module):
    """A state for 16 samples, of a length first: no other batch is taken."""

    example_input_array = torch.zeros(2, 16, 8)

    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(8, 16)

    def forward(self, x):
        return self.rnn(x, torch.zeros(1, 16, 16))[0]  # LT122 kept: held


class Root(nn.Module):
    """Any square number of tokens is taken, and no other."""

    example_input_array = torch.zeros(2, 16, 8)

    def __init__(self):
        super().__init__()
        self.head = nn.Linear(8, 8)

    def forward(self, x):
        x = self.head(x)
        side = int(math.sqrt(x.shape[-2]))  # LT119 kept: root
        return x.view(x.size(0), side, side, 8)


class Still(nn.Module):
    """One more for each thousand of a batch."""

    def __init__(self):
        super().__init__()
        self.head = nn.Linear(8, 4)

    def forward(self, x):
        y = self.head(x)
        return sum(y[i] for i in range(y.size(0) // 1000 + 1))  # LT105 gone: still
'''
SHARED = """from torch import nn


class Shared(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.first = nn.Linear(8, width)
        self.last = nn.Linear(16, 4)  # row 8

    def forward(self, x):
        return self.last(self.first(x))
"""
CALLING = """import torch
from shared import Shared

Shared(width=32)(torch.randn(2, 8))
"""
SETTINGS = 'exporters = ["torch.export", "onnx", "onnx-legacy", "torchscript-trace"]\n'
MARK = re.compile(r"# (LT\d+) (kept|gone): (\w+)$")
MARKED = {
    found[3]: (row, found[1], found[2])
    for row, line in enumerate(NET.splitlines(), 1)
    if (found := MARK.search(line))
}


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What `check --trace` says, a line for each finding and for each withdrawal."""
    folder = tmp_path_factory.mktemp("withdrawals")
    (folder / "net.py").write_text(NET, encoding="utf-8")
    (folder / "lintorch.toml").write_text(SETTINGS, encoding="utf-8")
    codes = ",".join(sorted({code for _, code, _ in MARKED.values()}))
    wanted = ("--trace", "--show-refuted", "--select", codes, "--output-format", "concise")
    return lintorch("check", *wanted, cwd=folder).stdout.splitlines()


@pytest.mark.parametrize("mark", MARKED)
def test_a_line_is_withdrawn_where_no_size_changes_it(told: list[str], mark: str) -> None:
    row, code, wanted = MARKED[mark]
    (line,) = [each for each in told if each.startswith(f"net.py:{row}:") and f" {code} " in each]
    assert ("withdrawn" in line) == (wanted == "gone")


def test_a_run_with_other_arguments_takes_nothing_back_of_a_call(tmp_path: Path) -> None:
    (tmp_path / "shared.py").write_text(SHARED)
    (tmp_path / "calling.py").write_text(CALLING)
    done = lintorch("check", "--trace", "--show-refuted", "--select", "LT806", cwd=tmp_path)
    assert "shared.py:8:" in done.stdout
    assert "Withdrew" not in done.stdout
    assert "✓ trace   last raised" in done.stdout
    assert "not as calling.py:4 builds it" in lintorch("models", cwd=tmp_path).stdout


def ask(row: int, value: int) -> SizeRead:
    return SizeRead(Site("net.py", row), how=SizeUse.INT, value=value)


def clear(compared: tuple[Variation, ...]) -> list[Refuted]:
    """What a right trial says of a line that asks for a batch and for channels, and of one more."""
    runs = tuple(
        ModelRun({"batch": batch}, (ask(3, batch), ask(3, 8), ask(5, 8))) for batch in (2, 3)
    )
    trace = Trace(Model("net.py", "Net", 1, sizes={"batch": 2}), runs, (), Profile())
    outcome = Outcome("onnx", "ok", compared=compared)
    return list(clear_lines(outcome, trace.find_events(SizeUse.INT), Trial(outcome, trace)))


def test_a_right_trial_speaks_of_what_changed() -> None:
    (refuted,) = clear((AS_TRACED, Variation(("batch",), (3,))))
    assert (refuted.node, refuted.settles) == (Site("net.py", 3), 1)


def test_a_right_trial_at_the_traced_sizes_alone_clears_nothing() -> None:
    assert clear((AS_TRACED,)) == []
