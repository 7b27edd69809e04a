"""What a run and a trial export of a real model say about sizes that Python makes constants of."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from examining import examine_files
from reported import model_of

from lintorch import catalog
from lintorch.core.dispatch import index_detectors, lint_subject
from lintorch.core.finding import Evidence, Harm
from lintorch.core.merge import Merged, merge_findings
from lintorch.core.profile import Profile
from lintorch.evidence import Trace, Trial
from lintorch.source import Source

CATALOG = catalog.build_catalog()
RULES = [CATALOG.rules[code] for code in ("LT101", "LT104", "LT105", "LT119")]
PROFILE = Profile(frozenset({"onnx-legacy", "torchscript-trace"}))
MODEL = """
import math

import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)

    def forward(self, x):
        given = x
        x = self.conv(x)
{body}
        return x
"""


def examined(folder: Path, *lines: str, exporters: tuple[str, ...] = ()) -> dict[str, Merged]:
    """The merged findings by the line of code that they lie on."""
    text = MODEL.format(body="\n".join(f"        {line}" for line in lines))
    path = folder / "net.py"
    path.write_text(text, encoding="utf-8")
    found = list(
        lint_subject(Source(str(path), text, PROFILE), index_detectors(RULES, Evidence.SOURCE))
    )
    for report in examine_files([path], folder, exporters=exporters):
        assert report.model is not None, report.failure
        trace = Trace(report.model, report.runs, report.captures, PROFILE)
        found += lint_subject(trace, index_detectors(RULES, Evidence.TRACE))
        for outcome in report.outcomes:
            found += lint_subject(Trial(outcome, trace), index_detectors(RULES, Evidence.EXPORT))
    rows = text.splitlines()
    merged = merge_findings(found)
    return {
        line.strip(): Merged(
            tuple(f for f in merged.standing if f.place.row == row),
            tuple(f for f in merged.withdrawn if f.place.row == row),
        )
        for row, line in enumerate(rows, 1)
    }


@pytest.fixture(scope="module")
def traced(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Merged]:
    return examined(tmp_path_factory.mktemp("traced"), *LOOKED_AT, *OPEN, *BAKED, *FIXED)


BAKED = {
    "x = x.view(int(x.size(0)), -1, x.size(2), x.size(3))": "LT101",
    "x = F.pad(x, [0, len(x)])": "LT101",
    "x = x * torch.tensor([x.size(2), x.size(3)]).sum()": "LT101",
    "x = F.pad(x, [0, x.data.size(2)])": "LT101",
    "x = F.pad(x, [0, int(x.size(2) * 0.75)])": "LT119",
    "x = F.pad(x, [0, int(math.sqrt(x.size(2)))])": "LT119",
    "x = F.pad(x, [0, -(-x.size(2) // 48)])": "LT119",
    "x = x * 2 if x.size(2) > 80 else x": "LT104",
    "x = sum(x * i for i in range(1, x.size(0)))": "LT105",
    "x = torch.stack([row * 2 for row in x])": "LT105",
}
FIXED = {
    "x = F.pad(x, [0, int(given.size(2) // 1000)])": "LT101",
    "x = x * 3 if given.size(2) // 1000 > 0 else x": "LT104",
    "x = sum(x * i for i in range(given.size(2) // 1000 + 3))": "LT105",
}
LOOKED_AT = ("assert int(x.size(0)) > 0", "y = x.data.shape[1]", "print(len(x))")
OPEN = {"x = x * 4 if given.size(2) > 5000 else x": "LT104"}


@pytest.mark.parametrize("line", BAKED)
def test_a_run_shows_what_changes_with_the_input(traced: dict[str, Merged], line: str) -> None:
    (found,) = {(f.code, f.evidence) for f in traced[line].standing}
    assert found == (BAKED[line], Evidence.TRACE)


@pytest.mark.parametrize("line", FIXED)
def test_a_run_withdraws_what_never_changes(traced: dict[str, Merged], line: str) -> None:
    assert traced[line].standing == ()
    assert [f.code for f in traced[line].withdrawn] == [FIXED[line]]


def test_a_branch_that_did_not_flip_is_not_thereby_harmless(traced: dict[str, Merged]) -> None:
    (line,) = OPEN
    assert [f.evidence for f in traced[line].standing] == [Evidence.SOURCE]


@pytest.mark.parametrize("line", LOOKED_AT)
def test_a_size_that_is_only_looked_at_is_no_hazard(traced: dict[str, Merged], line: str) -> None:
    assert traced[line].standing == ()


def test_numbers_of_the_run_are_told(traced: dict[str, Merged]) -> None:
    line = next(iter(BAKED))
    assert "was 2 and is 3 when batch changes" in traced[line].standing[0].said


def test_a_trial_reproduces_a_baked_size(tmp_path: Path) -> None:
    innocent, guilty = "x = x.flatten(1)", "x = x.view(int(n), -1)"
    found = examined(tmp_path, innocent, "n = x.size(0)", guilty, exporters=("onnx-legacy",))
    assert found[innocent].standing == ()
    (finding,) = found[guilty].standing
    assert (finding.code, finding.evidence) == ("LT101", Evidence.EXPORT)
    assert finding.said.startswith("onnx-legacy is wrong: ")


def test_a_line_that_the_export_does_not_reach_is_not_blamed(tmp_path: Path) -> None:
    innocent = "x = x if torch.jit.is_tracing() else x.flatten(1)[:int(x.size(0))].view(x.shape)"
    guilty = "x = x.view(x.data.size(0), -1)"
    found = examined(tmp_path, innocent, guilty, exporters=("torchscript-trace",))
    assert [f.evidence for f in found[innocent].standing] == [Evidence.TRACE]
    assert [f.evidence for f in found[guilty].standing] == [Evidence.EXPORT]


def test_what_converts_a_trace_is_wrong_at_the_lines_of_the_trace(tmp_path: Path) -> None:
    body = "        x = x.view(int(x.size(0)), -1)"
    path = tmp_path / "net.py"
    path.write_text(MODEL.format(body=body), encoding="utf-8")
    (report,) = examine_files([path], tmp_path, exporters=("torchscript-trace",))
    trace = Trace(model_of(report), report.runs, report.captures, PROFILE)
    (outcome,) = report.outcomes
    converted = replace(outcome, exporter="openvino", warnings=())
    rules = [*RULES, CATALOG.rules["LT905"]]
    found = lint_subject(Trial(converted, trace), index_detectors(rules, Evidence.EXPORT))
    (finding,) = merge_findings(found).standing
    assert (finding.code, finding.exporter, finding.tried) == ("LT101", "openvino", Harm.SILENT)
    assert path.read_text(encoding="utf-8").splitlines()[finding.place.row - 1] == body


def test_a_window_of_one_axis_is_the_line_of_what_a_trace_does_wrong(tmp_path: Path) -> None:
    line = "x = F.max_pool1d(x.flatten(2), x.flatten(2).size(2)).squeeze(2)"
    (finding,) = examined(tmp_path, line, exporters=("torchscript-trace",))[line].standing
    assert (finding.code, finding.evidence) == ("LT101", Evidence.EXPORT)
    assert finding.remedy.startswith("write F.adaptive_max_pool1d(x, 1)")
