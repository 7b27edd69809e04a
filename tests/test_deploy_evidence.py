"""What runs and trial exports of real models say about modes, dropout, SyncBatchNorm and targets."""

from __future__ import annotations

from pathlib import Path

import pytest
from examining import examine_files

from lintorch import catalog
from lintorch.core.dispatch import index_detectors, lint_subject
from lintorch.core.finding import Evidence, Finding, Severity
from lintorch.core.merge import Merged, merge_findings
from lintorch.core.profile import Profile
from lintorch.evidence import Trace, Trial
from lintorch.host.reports import Report
from lintorch.report.wording import write_message
from lintorch.source import Source

CATALOG = catalog.build_catalog()
PROFILE = Profile(frozenset({"torch.export", "torchscript-script"}))
HEAD = """
import torch
import torch.nn.functional as F
from torch import nn


"""


FILES: dict[str, str] = {}


def model(name: str, text: str) -> str:
    """A file of one model, named and run with the others."""
    FILES[f"{name}.py"] = HEAD + text
    return name


def deploy(name: str) -> str:
    """A script that exports the model `Net` of a file in training mode."""
    return (
        f"import torch\nfrom {name} import Net\n\n\ndef deploy(example):\n"
        "    model = Net()\n    return torch.export.export(model, (example,))\n"
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def traced(folder: Path) -> list[Report]:
    return examine_files(paths(folder, *FILES), folder)


def paths(folder: Path, *names: str) -> tuple[str, ...]:
    return tuple(str(folder / name) for name in names)


def judged(folder: Path, code: str, name: str, reports: list[Report], script: str = "") -> Merged:
    """What one rule says of one file, its model, and a script that is not run."""
    path = str(folder / f"{name}.py")
    rules = [CATALOG.rules[code]]
    found = list(
        lint_subject(
            Source(path, FILES[f"{name}.py"], PROFILE), index_detectors(rules, Evidence.SOURCE)
        )
    )
    if script:
        source = Source(str(folder / "deploy.py"), script, PROFILE)
        found += lint_subject(source, index_detectors(rules, Evidence.SOURCE))
    for report in reports:
        assert report.model is not None, report.failure
        if report.model.path == path:
            trace = Trace(report.model, report.runs, report.captures, PROFILE)
            found += lint_subject(trace, index_detectors(rules, Evidence.TRACE))
            for outcome in report.outcomes:
                found += lint_subject(
                    Trial(outcome, trace), index_detectors(rules, Evidence.EXPORT)
                )
    return merge_findings(found)


def only(findings: tuple[Finding, ...]) -> Finding:
    assert len(findings) == 1, findings
    return findings[0]


NET = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 8, 3), {layer}, nn.ReLU())

    def forward(self, image):
        return self.body(image)
"""
DROPS = """
class Net(nn.Module):
    def __init__(self, share={share}):
        super().__init__()
        self.share = share
        self.linear = nn.Linear(3, 3)

    def forward(self, x):
        return F.dropout(self.linear(x), self.share)
"""
USED = """

if __name__ == "__main__":
    Net(share=0.0)(torch.ones(2, 3))
"""
LOSS = """
class Loss(nn.Module):
    def forward(self, logits, target):
        {line}
        seen[seen > 0.5] = 0
        return F.mse_loss(logits, target) + seen.sum()
"""
MARK = """
def mark(pred, target):
    target[target > 0.9] = 0
    return pred + target
"""
TAKEN_OUT = '        self.body._modules["1"] = nn.Identity()\n\n    def forward'

MODAL = model("modal", NET.format(layer="nn.BatchNorm2d(8), nn.Dropout(0.5)"))
INDIFFERENT = model(
    "indifferent", NET.format(layer="nn.BatchNorm2d(8)").replace("\n    def forward", TAKEN_OUT)
)
DROPPING = model("dropping", DROPS.format(share=0.5))
IDLE = model("idle", DROPS.format(share=0.5) + USED)
DEFAULT = model("by_default", DROPS.format(share=0.0))
SYNCED = model("synced", NET.format(layer="nn.SyncBatchNorm(8)"))
CHANGING = model("changing", LOSS.format(line="seen = target.view(-1)"))
COPYING = model(
    "copying", MARK + LOSS.format(line="own = target.clone()\n        seen = mark(logits, own)")
)


def test_what_depends_on_the_mode_is_told_at_the_export_call_of_another_file(
    folder: Path, traced: list[Report]
) -> None:
    finding = only(judged(folder, "LT201", MODAL, traced, deploy(MODAL)).standing)
    assert (Path(finding.place.path).name, finding.place.row) == ("deploy.py", 7)
    assert finding.evidence is Evidence.TRACE
    assert "Net holds what depends on the mode: BatchNorm2d and Dropout" in write_message(finding)
    assert finding.fix is not None


def test_a_mode_that_changes_nothing_withdraws_a_missing_eval(
    folder: Path, traced: list[Report]
) -> None:
    merged = judged(folder, "LT201", INDIFFERENT, traced, deploy(INDIFFERENT))
    assert merged.standing == ()
    assert "no layer of Net" in str(only(merged.withdrawn).refuted)


def test_a_model_that_nobody_exports_in_training_mode_is_no_finding(
    folder: Path, traced: list[Report]
) -> None:
    assert judged(folder, "LT201", MODAL, traced) == Merged((), ())


def test_an_export_in_training_mode_that_differs_proves_a_missing_eval(folder: Path) -> None:
    (path,) = paths(folder, "modal.py")
    pair = (f"{path}:Net", "torch.export")
    reports = examine_files([path], folder, exporters=("torch.export",), in_training=(pair,))
    finding = only(judged(folder, "LT201", MODAL, reports, deploy(MODAL)).standing)
    assert (finding.evidence, finding.exporter) == (Evidence.EXPORT, "torch.export")
    assert finding.severity is Severity.ERROR


def test_dropout_seen_to_drop_in_eval_mode(folder: Path, traced: list[Report]) -> None:
    finding = only(judged(folder, "LT202", DROPPING, traced).standing)
    assert finding.evidence is Evidence.TRACE
    assert "50%" in write_message(finding)


def test_dropout_of_nothing_is_withdrawn(folder: Path, traced: list[Report]) -> None:
    merged = judged(folder, "LT202", IDLE, traced)
    assert merged.standing == ()
    assert "p is 0" in str(only(merged.withdrawn).refuted)


def test_dropout_of_nothing_by_default_stands(folder: Path, traced: list[Report]) -> None:
    merged = judged(folder, "LT202", DEFAULT, traced)
    assert merged.withdrawn == ()
    assert len(merged.standing) == 1


@pytest.fixture(scope="module")
def tried(folder: Path) -> list[Report]:
    exporters = ("torch.export", "torchscript-script")
    return examine_files(paths(folder, "dropping.py", "synced.py"), folder, exporters=exporters)


def test_dropout_makes_an_export_random(folder: Path, tried: list[Report]) -> None:
    assert only(judged(folder, "LT202", DROPPING, tried).standing).evidence is Evidence.EXPORT


def test_a_scripted_sync_batch_norm_is_refused_where_it_is_made(
    folder: Path, tried: list[Report]
) -> None:
    finding = only(judged(folder, "LT203", SYNCED, tried).standing)
    assert (finding.evidence, finding.severity) == (Evidence.EXPORT, Severity.ERROR)
    assert finding.fix is not None
    assert "BatchNorm2d" in finding.fix.edits[0].content


def test_a_target_seen_to_be_the_callers(folder: Path, traced: list[Report]) -> None:
    finding = only(judged(folder, "LT401", CHANGING, traced).standing)
    assert finding.evidence is Evidence.TRACE
    assert finding.fix is not None


def test_a_target_seen_to_be_a_copy_is_withdrawn(folder: Path, traced: list[Report]) -> None:
    merged = judged(folder, "LT401", COPYING, traced)
    assert merged.standing == ()
    assert "a copy" in str(only(merged.withdrawn).refuted)
