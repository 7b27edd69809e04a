"""What runs and trial exports of real models say about pools, resizes, grids and hidden sizes."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("onnxruntime")

from examining import examine_files

from lintorch import catalog
from lintorch.core.dispatch import index_detectors, lint_subject
from lintorch.core.finding import Evidence, Finding
from lintorch.core.merge import Merged, merge_findings
from lintorch.core.profile import Profile
from lintorch.evidence import Trace, Trial
from lintorch.report.wording import write_message
from lintorch.source import Source

CATALOG = catalog.build_catalog()
CODES = ("LT116", "LT117", "LT118", "LT130", "LT301", "LT904", "LT905")
RULES = [CATALOG.rules[code] for code in CODES]
HEAD = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n"
IMAGE = """

class {name}(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 6, 3, padding=1)
        self.layer = {layer}  # {name} layer

    def forward(self, image):
        y = self.conv(image)
        return {forward}  # {name} forward
"""
HALF = """

class {name}(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(64, 100)  # {name} layer
        self.back = nn.Linear(100, 64)
        self.wide = nn.Linear(64, {wide})
        self.head = nn.Linear({wide}, 8)

    @torch.autocast("cpu", dtype=torch.bfloat16)
    def forward(self, x):
        return self.head(self.wide(self.back(self.hidden(x))))
"""


def image(name: str, layer: str = "nn.Identity()", forward: str = "self.layer(y)") -> str:
    return IMAGE.format(name=name, layer=layer, forward=forward)


def examined(
    folder: Path, profile: Profile, *models: str, exporters: tuple[str, ...] = ()
) -> dict[str, Merged]:
    """The merged findings by the mark of the line that they lie on."""
    path, text = folder / "net.py", HEAD + "".join(models)
    path.write_text(text, encoding="utf-8")
    opsets = {name: profile.opset_of(name) for name in exporters if profile.opset}
    found: list[Finding] = [
        *lint_subject(Source(str(path), text, profile), index_detectors(RULES, Evidence.SOURCE))
    ]
    for report in examine_files([path], folder, exporters=exporters, opsets=opsets):
        assert report.model is not None, report.failure
        trace = Trace(report.model, report.runs, report.captures, profile)
        found += lint_subject(trace, index_detectors(RULES, Evidence.TRACE))
        for outcome in report.outcomes:
            found += lint_subject(Trial(outcome, trace), index_detectors(RULES, Evidence.EXPORT))
    merged = merge_findings(found)
    return {
        line.rpartition("# ")[2] or str(row): Merged(
            tuple(f for f in merged.standing if f.place.row == row),
            tuple(f for f in merged.withdrawn if f.place.row == row),
        )
        for row, line in enumerate(text.splitlines(), 1)
    }


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Merged]:
    """What trial exports by the new ONNX exporter say."""
    return examined(
        tmp_path_factory.mktemp("tried"),
        Profile(frozenset({"onnx"})),
        image("Cells", "nn.AdaptiveAvgPool2d(8)"),
        image("Smooth", forward="F.interpolate(y, (9, 9), mode='bicubic', antialias=True, align_corners=True)"),
        image("Grid", forward="F.affine_grid(y.mean((2, 3)).view(-1, 2, 3), y.size(), align_corners=False)"),
        image("Lost", forward="torch.linalg.qr(y)[0]"),
        exporters=("onnx",),
    )  # fmt: skip


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Merged]:
    """What runs say, at odd sizes where the model runs with these."""
    return examined(
        tmp_path_factory.mktemp("run"),
        Profile(frozenset({"torch.export", "onnx"})),
        image("Rows", "nn.AdaptiveAvgPool2d((None, 1))"),
        image("Own", forward="F.adaptive_max_pool2d(y, y.shape[2:])"),
        image("Step", forward="F.adaptive_avg_pool2d(eval('y[:, :, :8, :4]'), (1, 2))"),
        image("Area", forward="F.interpolate(y, size=(4, 4), mode='area')"),
        image("Half", forward="F.interpolate(F.pixel_unshuffle(y, 2), scale_factor=0.5, mode='bilinear', antialias=True)"),
        image("Odd", forward="F.interpolate(y, scale_factor=0.5, mode='bilinear', antialias=True)"),
        HALF.format(name="Much", wide=64),
        HALF.format(name="Little", wide=8192),
    )  # fmt: skip


def strongest(merged: Merged) -> list[tuple[str, Evidence]]:
    return [(f.code, f.evidence) for f in merged.standing]


@pytest.mark.parametrize(
    ("line", "code"),
    [("Cells forward", "LT116"), ("Smooth forward", "LT130"), ("Grid forward", "LT118")],
)
def test_a_trial_export_proves_the_hazard_and_says_it_once(
    tried: dict[str, Merged], line: str, code: str
) -> None:
    assert strongest(tried[line]) == [(code, Evidence.EXPORT)]


@pytest.mark.parametrize(
    ("line", "code", "verdict"),
    [
        ("Rows forward", "LT116", "silently wrong under onnx; right under torch.export"),
        ("Own forward", "LT116", "refused by torch.export and onnx"),
        ("Area forward", "LT130", "silently wrong under onnx; right under torch.export"),
    ],
)
def test_a_run_tells_what_the_exporters_do(
    run: dict[str, Merged], line: str, code: str, verdict: str
) -> None:
    assert strongest(run[line]) == [(code, Evidence.TRACE)]
    assert f": {verdict}; " in write_message(run[line].standing[0])


def test_a_pool_whose_input_never_varies_is_withdrawn(run: dict[str, Merged]) -> None:
    assert not run["Step forward"].standing
    assert "at every size tried" in (run["Step forward"].withdrawn[0].refuted or "")


def test_even_sizes_alone_do_not_clear_a_fraction(run: dict[str, Merged]) -> None:
    assert strongest(run["Half forward"]) == [("LT130", Evidence.SOURCE)]


def test_an_odd_size_proves_a_fraction(run: dict[str, Merged]) -> None:
    assert strongest(run["Odd forward"]) == [("LT130", Evidence.TRACE)]


def test_what_no_rule_explains_is_said_in_general(tried: dict[str, Merged]) -> None:
    (finding,) = tried["Lost forward"].standing
    assert finding.code == "LT904"
    assert finding.said.count("aten::linalg_qr") == 1


def test_a_resize_at_an_old_opset_is_wrong_or_refused(tmp_path: Path) -> None:
    found = examined(
        tmp_path,
        Profile(frozenset({"onnx-legacy"}), opset=10),
        image("Wrong", "nn.Upsample(scale_factor=2, mode='bilinear')"),
        image("Refused", forward="F.interpolate(y, scale_factor=2.0, mode='bicubic')"),
        exporters=("onnx-legacy",),
    )
    assert strongest(found["Wrong layer"]) == [("LT117", Evidence.EXPORT)]
    assert strongest(found["Refused forward"]) == [("LT117", Evidence.EXPORT)]
    assert "refuses" in found["Refused forward"].standing[0].said


def test_hidden_sizes_count_by_their_share_of_the_work(run: dict[str, Merged]) -> None:
    (finding,) = run["Much layer"].standing
    assert finding.evidence is Evidence.TRACE
    assert "100, 64" in finding.said
    assert not run["Little layer"].standing
    assert "no multiple of 8" in (run["Little layer"].withdrawn[0].refuted or "")
