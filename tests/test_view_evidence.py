"""What runs of real models say about views, written batch sizes, lengths and layers that do not fit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("torch")

from examining import examine_files

from lintorch import catalog
from lintorch.core.dispatch import index_detectors, lint_subject
from lintorch.core.finding import Evidence, Finding
from lintorch.core.merge import Merged, merge_findings
from lintorch.core.profile import Profile
from lintorch.evidence import Trace, Trial
from lintorch.record.runs import GraphCapture, Tracer
from lintorch.report.wording import write_message
from lintorch.run.judge_reports import trace_failure
from lintorch.source import Source

CATALOG = catalog.build_catalog()
CODES = ("LT101", "LT104", "LT119", "LT120", "LT122", "LT131", "LT803", "LT806")
RULES = [CATALOG.rules[code] for code in CODES]
PROFILE = Profile(frozenset({"torch.export", "onnx-legacy"}))
HEAD = """import math
import os
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence
"""
IMAGE = """

class {name}(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)

    def forward(self, image):
        y = self.conv(image)
{body}
"""


def image(name: str, body: str) -> str:
    """A model that makes maps of 8 channels first; `|` parts the lines of the rest of forward."""
    return IMAGE.format(name=name, body="\n".join(f"        {line}" for line in body.split("|")))


Judged = tuple[list[Finding], list[Finding]]
"""What stands of a line, and what was withdrawn."""


def examined(folder: Path, *models: str, exporters: tuple[str, ...] = ()) -> dict[str, Judged]:
    """What stands, and what was withdrawn, by the mark (`# mark`) of the line it lies on."""
    text = HEAD + "".join(models)
    path = folder / "net.py"
    path.write_text(text, encoding="utf-8")
    found = list(
        lint_subject(Source(str(path), text, PROFILE), index_detectors(RULES, Evidence.SOURCE))
    )
    for report in examine_files([path], folder, exporters=exporters, graphs=False):
        if report.failure is not None:
            found += lint_subject(
                trace_failure(report.failure, PROFILE), index_detectors(RULES, Evidence.TRACE)
            )
            continue
        assert report.model is not None
        trace = Trace(report.model, report.runs, (GraphCapture(Tracer.FX, ok=True),), PROFILE)
        found += lint_subject(trace, index_detectors(RULES, Evidence.TRACE))
        for outcome in report.outcomes:
            found += lint_subject(Trial(outcome, trace), index_detectors(RULES, Evidence.EXPORT))
    return dict(marked(text, merge_findings(found)))


def marked(text: str, merged: Merged) -> Iterator[tuple[str, Judged]]:
    for row, line in enumerate(text.splitlines(), 1):
        if mark := re.search(r"# (.+)$", line):
            standing = [f for f in merged.standing if f.place.row == row]
            yield mark[1], (standing, [f for f in merged.withdrawn if f.place.row == row])


VIEWS = (
    image("Read", "y.view(-1).mul_(2)  # base read|return y + 1"),
    image("Given", "y.transpose(1, 2)[:, 0] = 0  # base given back|return y"),
    image("Helped", "halve(y)|return y + 1"),
    image("Index", "y[:, 0].mul_(2)  # index|return y + 1"),
    image("Alone", "v = y.view(-1)|v.mul_(2)  # only the view read|z = [y].index(y)|return v * z"),
    image("Copy", "r = y.transpose(1, 3).flatten(1)|r.mul_(2)  # copy|return r * y.sum()"),
    image("Sibling", "w = y.flatten(1)|y.view(-1).mul_(2)  # sibling read|return w + 1"),
    image("Hidden", "y.data.mul_(2)  # hidden|return image"),
    image(
        "Later",
        "v = y.view(-1)|v.mul_(2)  # branch below|if torch.cuda.is_available():|    v = v + y|return v",
    ),
    "\n\ndef halve(y):\n    y.flatten().div_(2)  # in a helper\n",
)


@pytest.fixture(scope="module")
def views(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Judged]:
    return examined(tmp_path_factory.mktemp("views"), *VIEWS)


@pytest.mark.parametrize("mark", ["base read", "base given back", "in a helper"])
def test_a_write_through_a_view_whose_base_is_read(views: dict[str, Judged], mark: str) -> None:
    ((finding,), _) = views[mark]
    assert (finding.code, finding.evidence) == ("LT131", Evidence.TRACE)
    assert "through" in write_message(finding)


@pytest.mark.parametrize("mark", ["index", "only the view read", "copy"])
def test_a_write_that_no_other_tensor_shows(views: dict[str, Judged], mark: str) -> None:
    assert views[mark][0] == []


def test_a_write_that_is_read_by_its_own_name_is_withdrawn(views: dict[str, Judged]) -> None:
    standing, withdrawn = views["only the view read"]
    assert standing == []
    assert [f.code for f in withdrawn] == ["LT131"]


@pytest.mark.parametrize("mark", ["hidden", "branch below"])
def test_what_data_hides_or_a_branch_may_read_is_not_withdrawn(
    views: dict[str, Judged], mark: str
) -> None:
    assert [f.evidence for f in views[mark][0]] == [Evidence.SOURCE]


def test_a_trial_is_wrong_by_a_write_through_a_view(tmp_path: Path) -> None:
    found = examined(
        tmp_path, image("Net", "y.view(-1).mul_(2)  # write|return y"), exporters=("onnx-legacy",)
    )
    ((finding,), _) = found["write"]
    assert (finding.code, finding.evidence) == ("LT131", Evidence.EXPORT)


WRITTEN = """

class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(8, 16, batch_first=True)

    def forward(self, x):
        state = torch.zeros(1, 2, 16)  # state of two
        return self.rnn(x, state)[0]


class Windows(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(8, 16, batch_first=True)

    def forward(self, x):
        state = torch.zeros(1, 4, 16)  # state of windows
        return self.rnn(x.reshape(4, -1, 8), state)[0]


class Cut(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(8, 9)

    def forward(self, x):
        return self.head(x).view(32, 9) * 2  # cut in many


class Classes(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 16, 3)
        self.pool = nn.AdaptiveAvgPool2d(5)

    def forward(self, image):
        x = self.conv(image)
        x = F.max_pool2d(x, 2)
        x = F.relu(x)
        x = x.view(-1, 16 * 31)  # mixed
        return x * 2


class Pooled(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 16, 3)
        self.pool = nn.MaxPool2d(2)

    def forward(self, image):
        side = int(os.environ.get("SIDE", "10"))
        x = self.pool(F.interpolate(self.conv(image), (side, side)))
        x = x.view(-1, 16 * 5 * 5)  # of one size
        return x * 2
"""
LENGTHS = """

class Steps(nn.Module):
    def __init__(self):
        super().__init__()
        self.time_first = nn.LSTM(8, 8)

    def forward(self, x):
        return self.time_first(x)[0]  # time first


class Rows(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.rnn = nn.GRU(8, 8)

    def forward(self, image):
        x = F.adaptive_avg_pool2d(self.conv(image), (1, 5))
        return self.rnn(x[:, :, 0].permute(2, 0, 1))[0]  # five steps


class Packed(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(8, 8, batch_first=True)

    def forward(self, x):
        steps = torch.full((x.shape[0],), 3)
        return self.rnn(pack_padded_sequence(x, steps, batch_first=True))[1]  # packed
"""
LAYERS = """

class Torn(nn.Module):
    def forward(self, x):
        y = x.permute(0, 2, 1)
        return y.view(x.size(0), -1)  # torn


class Helped(nn.Module):
    def forward(self, image):
        return joined(image.transpose(1, 2)) + 1


def joined(x):
    return x.view(x.size(0), -1)  # torn in a helper


class Turned(nn.Module):
    def forward(self, image):
        y = image.permute(0, 2, 3, 1).permute(0, 3, 1, 2)
        return y.permute(0, 3, 2, 1).contiguous().view(image.size(0), -1)  # in order


class Clash(nn.Module):
    def __init__(self):
        super().__init__()
        self.row = nn.Sequential(
            nn.Conv2d(3, 64, 3),
            nn.BatchNorm2d(32),  # clash
            nn.ReLU(),
        )

    def forward(self, image):
        return self.row(image)


class Even(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 4, padding=4 // 2)  # even

    def forward(self, image):
        return self.conv(image)
"""


@pytest.fixture(scope="module")
def others(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Judged]:
    return examined(tmp_path_factory.mktemp("others"), WRITTEN, LENGTHS, LAYERS, NUMBERS)


NUMBERS = (
    image("Shape", "n = np.prod(y.shape[2:])  # numpy|return y.flatten(2)[:, :, : int(n)]")
    + image("Root", "n = np.sqrt(image.shape[2])  # numpy root|return F.pad(y, [0, int(n)])")
    + image("Ramp", "n = np.arange(y.shape[3])  # numpy ramp|return y + torch.as_tensor(n).sum()")
    + image("Most", "n = max(image.shape[2], image.shape[3])  # most|return F.pad(y, [0, n])")
    + image("Least", "n = max(image.shape[2], 1)  # one side|return F.pad(y, [0, n])")
    + image("List", "n = [0.5] * image.shape[0]  # list|return y * torch.tensor(n).sum()")
    + image(
        "Odd",
        "if y.shape[2] % 8 != 0:  # odd|    y = F.pad(y, [0, 0, 0, -y.shape[2] % 8])|return y",
    )
    + image("Up", "n = -(-y.shape[2] // 4)  # up|return F.pad(y, [0, n])")
)
CONFIRMED = {
    "state of two": ("LT122", "a state of [1, 2, 16] is made here: a batch of 3 raises"),
    "cut in many": ("LT122", "the first size is written as 32: a batch of 3 raises"),
    "mixed": ("LT122", "rows for 2 samples"),
    "time first": ("LT120", "steps, and"),
    "packed": ("LT120", "packs a batch"),
    "torn": ("LT803", "raised here"),
    "torn in a helper": ("LT803", "raised here"),
    "clash": ("LT806", "row.1 raised: running_mean should contain"),
    "numpy": ("LT101", "what NumPy makes of sizes was"),
    "numpy ramp": ("LT101", "from 0 to 63, 2016 in all and is an array of shape [161] from 0"),
    "numpy root": ("LT101", "what NumPy makes of sizes was 8.0"),
    "most": (
        "LT101",
        "a comparison in max() or min() was False and is True when height,width changes",
    ),
    "list": ("LT101", "the length of a list was 2 and is 3 when batch changes"),
    "odd": ("LT104", "when height,width changes"),
    "up": ("LT119", "rounded down"),
}
REFUTED = {"state of windows": "LT122", "of one size": "LT122"}


@pytest.mark.parametrize("mark", CONFIRMED)
def test_a_run_shows_it(others: dict[str, Judged], mark: str) -> None:
    code, said = CONFIRMED[mark]
    ((finding,), _) = others[mark]
    assert (finding.code, finding.evidence) == (code, Evidence.TRACE)
    assert said in write_message(finding)


@pytest.mark.parametrize("mark", REFUTED)
def test_a_run_withdraws_it(others: dict[str, Judged], mark: str) -> None:
    standing, withdrawn = others[mark]
    assert standing == []
    assert [f.code for f in withdrawn] == [REFUTED[mark]]


@pytest.mark.parametrize("mark", ["in order", "one side", "five steps"])
def test_an_innocent_line_stays_clean(others: dict[str, Judged], mark: str) -> None:
    assert others[mark][0] == []


def test_a_layer_that_ran_may_still_be_too_long(others: dict[str, Judged]) -> None:
    assert [f.evidence for f in others["even"][0]] == [Evidence.SOURCE]
