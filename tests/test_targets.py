"""Deployment targets: what the tables say, what is asked of them, and what rules make of it."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from running import findings, lintorch

from lintorch.cli.show_targets import format_target, format_target_table
from lintorch.core.finding import Evidence, Finding, Place, Severity
from lintorch.core.merge import merge_findings
from lintorch.core.profile import Profile
from lintorch.settings import SettingsError
from lintorch.settings.read_settings import load_settings
from lintorch.targets import Answer, Target, TargetError, find_target, list_targets
from lintorch.targets.verdict import About

YES, NO, UNKNOWN = Answer.YES, Answer.NO, Answer.UNKNOWN
DATA = Path(__file__).parent.parent / "lintorch/targets/data"
TARGETS = list(list_targets())

FACTS = [
    # a documented operator whose importer was missing
    ("tensorrt-5.1.5", "PRelu", 9, NO, "6.0"),
    ("tensorrt-6.0", "PRelu", 9, YES, None),
    # a released library, and the parser that was published for it later
    ("tensorrt-7.2", "CumSum", 11, NO, "8.0"),
    ("tensorrt-7.2-oss21.05", "CumSum", 11, YES, None),
    ("tensorrt-7.2", "ReverseSequence", 11, NO, "8.0"),
    # an operator that is there, with no kernel for what a newer opset made of it
    ("onnxruntime-1.31", "RoiAlign", 21, YES, None),
    ("onnxruntime-1.31", "RoiAlign", 22, NO, None),
    ("onnxruntime-1.15", "AveragePool", 19, NO, "1.16"),
    ("onnxruntime-1.16", "AveragePool", 19, YES, None),
    # there, gone, and there again
    ("tensorrt-5.1", "Sin", 9, YES, None),
    ("tensorrt-6.0", "Sin", 9, NO, "7.0"),
    # first seen with 8.5
    ("tensorrt-8.4", "GridSample", 16, NO, "8.5"),
    ("tensorrt-8.5", "GridSample", 16, YES, None),
    # a kernel that covers several opsets, and one that a function body stands in for
    ("onnxruntime-1.20", "Relu", 13, YES, None),
    ("onnxruntime-1.20", "GroupNormalization", 18, YES, None),
    # refused as a whole
    ("rknn-2.1", "Relu", 20, NO, None),
    ("onnxruntime-1.14", "Relu", 19, NO, "1.15"),
    # nobody knows
    ("onnxruntime-1.10", "GridSample", 15, UNKNOWN, None),
    ("onnxruntime-0.5", "Relu", 9, UNKNOWN, None),
    ("qnn-80-63442-10", "Gelu", 20, UNKNOWN, None),
    ("rknn-2.5", "NoSuchOperator", 19, UNKNOWN, None),
    ("tensorrt-8.6", "GridSample", 15, UNKNOWN, None),
]


@pytest.mark.parametrize(("name", "operator", "opset", "answer", "since"), FACTS)
def test_what_a_release_takes(
    name: str, operator: str, opset: int, answer: Answer, since: str | None
) -> None:
    verdict = find_target(name).supports(operator, opset)
    assert (verdict.answer, verdict.since) == (answer, since), verdict
    assert verdict.reason or answer is YES


def test_a_documented_operator_without_code_says_so() -> None:
    assert (
        "whatever its documentation says" in find_target("tensorrt-5.1").supports("PRelu", 9).reason
    )


def test_an_operator_that_the_documentation_denies_is_a_disputed_yes() -> None:
    verdict = find_target("tensorrt-7.2").supports("Dropout", 11)
    assert verdict
    assert verdict.disputed


def test_a_missing_version_tells_the_opsets_that_work() -> None:
    runtime = find_target("onnxruntime-1.31")
    assert runtime.supports("RoiAlign", 22).about is About.VERSION
    assert runtime.opsets("RoiAlign")[-1] == 21


def test_types_are_those_of_the_kernel_and_of_what_it_casts_to() -> None:
    runtime = find_target("onnxruntime-1.31")
    assert runtime.supports("Celu", 12, types=("float32",))
    assert runtime.supports("Celu", 12, types=("float16",))
    assert runtime.supports("Celu", 12, types=("float64",)).about is About.TYPE
    assert find_target("onnxruntime-1.20").supports(
        "Celu", 12, types=("float64",)
    )  # types not known
    assert find_target("tensorrt-8.6").supports("And", 13, types=("float32",)).answer is NO


def test_ranks_are_judged_where_they_are_asked_for() -> None:
    flat, deep = find_target("tensorrt-8.6"), find_target("tensorrt-11.2")
    assert flat.supports("GridSample", 20)
    assert flat.supports("GridSample", 20, rank=4)
    refused = flat.supports("GridSample", 20, rank=5)
    assert (refused.about, refused.since) == (About.RANK, "11.2")
    assert deep.supports("GridSample", 20, rank=5)


def test_operators_of_pytorch_are_asked_for_by_any_of_their_names() -> None:
    for name in ("grid_sampler", "aten::grid_sampler", "aten.grid_sampler.default"):
        assert find_target("coreml").supports(name, domain="aten")
    assert find_target("coreml").supports("aten::linalg_eigvals", domain="aten").answer is NO
    assert find_target("coreml").supports("GridSample", 16).answer is UNKNOWN
    assert find_target("ncnn").supports("nn.PReLU", domain="torch")
    assert find_target("ncnn").supports("nn.Softplus", domain="torch").answer is NO


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("tensorrt-8.6.1", "tensorrt-8.6"),
        ("TRT-8.6", "tensorrt-8.6"),
        ("tensorrt-v10.0", "tensorrt-10.0"),
        ("tensorrt-7.2.1", "tensorrt-7.2"),
        ("tensorrt-7.2-oss21.05", "tensorrt-7.2-oss21.05"),
        ("ort-1.20", "onnxruntime-1.20"),
        ("ort-1.20.1", "onnxruntime-1.20"),
        ("openvino", "openvino-2026.4"),
        ("openvino-pytorch-2026.4", "openvino-pytorch-2026.4"),
        ("coremltools-9.0", "coreml-9.0"),
        ("rknn-toolkit2-2.1.0", "rknn-2.1"),
    ],
)
def test_a_target_goes_by_several_names(written: str, name: str) -> None:
    assert find_target(written).name == name


@pytest.mark.parametrize(
    ("written", "near"),
    [
        ("tensorrt-8.3", "`tensorrt-8.2` and `tensorrt-8.4`"),
        ("tensort-8.6", "`tensorrt"),
        ("onnxruntime-1.99", "`onnxruntime-1.31`"),
        ("tensorrt", "`tensorrt-11.2`"),
        ("toaster", "known runtimes are"),
        ("", "known runtimes are"),
    ],
)
def test_an_unknown_name_names_what_is_near(written: str, near: str) -> None:
    with pytest.raises(TargetError) as raised:
        find_target(written)
    assert near in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_each_release_tells_its_sources_and_never_takes_unknown_for_known(target: Target) -> None:
    release = target.release
    assert find_target(target.name) == target
    assert release.confidence in ("high", "medium", "low")
    assert release.sources
    assert release.basis
    assert release.retrieved
    assert release.limit in ("refused", "printed", "none", "unknown")
    for source in release.sources:
        assert {"repo", "wheel", "title", "wheels", "test_models"} & source.keys()
    domain = "" if target.tables.names == "onnx" else target.tables.names
    absent = target.supports("NoSuchOperator", domain=domain)
    assert absent.answer is (NO if release.complete else UNKNOWN)
    for operator, row in target.operators.items():
        if row["supported"] is None:
            assert target.supports(operator, domain=domain).answer is UNKNOWN


def test_the_tables_are_small_and_name_no_place_of_one_machine() -> None:
    files = sorted(DATA.glob("*.json"))
    assert sum(file.stat().st_size for file in files) < 500_000
    for file in files:
        assert not {"/work", "/tmp", "/home"} & {
            part for part in ("/work", "/tmp", "/home") if part in file.read_text()
        }


def test_a_profile_with_targets_travels_and_is_a_key() -> None:
    profile = Profile(targets=("tensorrt-8.6",))
    assert pickle.loads(pickle.dumps(profile)) == profile
    assert len({profile, Profile(), Profile(targets=("tensorrt-8.6",))}) == 2
    assert pickle.loads(pickle.dumps(find_target("trt-8.6"))).highest == 17


WARP = """
import torch
from torch import nn
from torch.nn import functional as F


class Warp(nn.Module):
    def forward(self, image, grid):
        return F.grid_sample(image, grid, align_corners=False)


def export(model, args):
    torch.onnx.export(model, args, "warp.onnx", opset_version=16, dynamo=False)
"""


@pytest.fixture
def warp(tmp_path: Path) -> Path:
    tmp_path.joinpath("warp.py").write_text(WARP)
    return tmp_path


def about_targets(cwd: Path, *arguments: str) -> set[tuple[str, str, int]]:
    found = findings("--select", "LT901,LT902,LT903,LT906", *arguments, cwd=cwd)
    return {(f["code"], f["target"], f["location"]["row"]) for f in found}


def test_nothing_is_said_without_a_target(warp: Path) -> None:
    assert about_targets(warp) == set()


def test_each_target_has_a_finding_of_its_own_and_the_cache_tells_them_apart(warp: Path) -> None:
    missing = {("LT901", "tensorrt-8.4", 9), ("LT901", "tensorrt-7.2", 9)}
    newer = {("LT902", "tensorrt-7.2", 13)}
    old = about_targets(warp, "--target", "trt-8.4.1", "--target", "tensorrt-7.2")
    assert old == missing | newer
    assert about_targets(warp, "--target", "tensorrt-8.5") == set()
    assert about_targets(warp, "--target", "tensorrt-8.4") == {("LT901", "tensorrt-8.4", 9)}


def test_settings_name_targets_and_the_command_line_outweighs_them(warp: Path) -> None:
    warp.joinpath("lintorch.toml").write_text('target = ["trt-8.4"]\n')
    assert about_targets(warp) == {("LT901", "tensorrt-8.4", 9)}
    assert about_targets(warp, "--target", "tensorrt-8.6") == set()


def test_an_unknown_target_is_one_error(warp: Path) -> None:
    done = lintorch("check", "--target", "tensorrt-8.3", cwd=warp)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "tensorrt-8.4" in line
    warp.joinpath("lintorch.toml").write_text('target = ["onnxrutime-1.20"]\n')
    with pytest.raises(SettingsError, match=r"lintorch\.toml: `target`: unknown .*onnxruntime"):
        load_settings(str(warp / "lintorch.toml"))


def test_targets_are_listed(tmp_path: Path) -> None:
    done = lintorch("targets", cwd=tmp_path)
    rows = {line.split()[0]: line.split() for line in done.stdout.splitlines()}
    assert rows["tensorrt-8.6"][1] == "17"
    assert rows["onnxruntime-0.5"][2] == "unknown"
    assert set(rows) == {"target", *(target.name for target in TARGETS)}
    listed = json.loads(lintorch("targets", "--output-format", "json", cwd=tmp_path).stdout)
    assert {each["name"] for each in listed} == {target.name for target in TARGETS}


def test_one_target_is_told_with_its_sources(tmp_path: Path) -> None:
    done = lintorch("targets", "trt-7.2.1", cwd=tmp_path)
    assert "eb559b6cdd1ec2169d64c0112fab9b564d8d503b" in done.stdout
    assert "GatherElements" in done.stdout.partition("Not supported")[2]
    told = json.loads(
        lintorch("targets", "ort-1.31", "--output-format", "json", cwd=tmp_path).stdout
    )
    assert told["operators"]["RoiAlign"]["missing"] == [22]
    assert told["sources"][0]["wheel"].startswith("onnxruntime==1.31")
    done = lintorch("targets", "tensorrt-8.3", cwd=tmp_path)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1


MODELS = """
import torch
from torch import nn
from torch.nn import functional as F


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(3, 4, 3),
            nn.PReLU(),  # layer
        )
        self.norm = nn.LayerNorm(6)  # norm

    def forward(self, x):
        y = self.norm(self.body(x))
        return torch.cumsum(y, 1)  # cumsum


class Masked(nn.Module):
    def forward(self, x):
        mask = torch.tril(torch.ones(8, 8))  # folded
        return torch.tril(x @ mask)  # kept


class Count(nn.Module):
    def forward(self, mask):
        return mask.cumsum(1)  # counted


class Volume(nn.Module):
    def forward(self, x, grid):
        return F.grid_sample(x, grid, align_corners=False)  # volume
"""
SETTINGS = """
[models.head]
factory = "models.py:Head"
inputs = ["float32[1, 3, 8, 8]"]
[models.masked]
factory = "models.py:Masked"
inputs = ["float32[8, 8]"]
[models.count]
factory = "models.py:Count"
inputs = ["int64[2, 8]"]
[models.volume]
factory = "models.py:Volume"
inputs = ["float32[1, 2, 4, 4, 4]", "float32[1, 3, 3, 3, 3]"]
"""


def row(mark: str) -> int:
    return next(n for n, line in enumerate(MODELS.splitlines(), 1) if line.endswith(f"# {mark}"))


def tried(folder: Path, exporter: str, *targets: str, opset: int) -> list[dict[str, Any]]:
    folder.joinpath("models.py").write_text(MODELS)
    folder.joinpath("lintorch.toml").write_text(f'exporters = ["{exporter}"]\n{SETTINGS}')
    named = [word for target in targets for word in ("--target", target)]
    return findings(
        *("--select", "LT901,LT902,LT903,LT906", "--export", exporter),
        *("--opset", opset, *named, "models.py"),
        cwd=folder,
    )


def exactly(found: list[dict[str, Any]]) -> set[tuple[object, object, object]]:
    return {
        (f["code"], f["target"], f["location"]["row"]) for f in found if f["evidence"] == "export"
    }


def test_what_the_exporter_folds_is_withdrawn(tmp_path: Path) -> None:
    found = tried(tmp_path, "onnx-legacy", "trt-8.4", opset=20)
    assert {f["location"]["row"] for f in found if f["code"] == "LT901"} == {
        row(mark) for mark in ("norm", "volume", "kept")
    }


def test_what_a_target_lacks_does_not_explain_a_failed_export() -> None:
    place = Place("net.py", 3)
    failed = Finding("LT904", "export-failed", "it raises", Severity.ERROR, place)
    failed = replace(failed, evidence=Evidence.EXPORT, model="net.py:Net", exporter="onnx")
    lacking = replace(failed, code="LT901", name="operator-missing", target="tensorrt-8.4")
    other = replace(lacking, target="rknn-2.1")
    assert {f.code for f in merge_findings([failed, lacking]).standing} == {"LT904", "LT901"}
    assert merge_findings([lacking, other]).standing == (other, lacking)


def test_the_graph_of_the_legacy_exporter_is_judged_line_by_line(tmp_path: Path) -> None:
    found = tried(tmp_path, "onnx-legacy", "tensorrt-5.1", "trt-8.4", "trt-8.6", opset=20)
    assert exactly(found) == {
        ("LT901", "tensorrt-5.1", row("layer")),
        ("LT901", "tensorrt-5.1", row("norm")),
        ("LT901", "tensorrt-5.1", row("cumsum")),
        ("LT901", "tensorrt-5.1", row("counted")),
        ("LT901", "tensorrt-5.1", row("kept")),
        ("LT901", "tensorrt-5.1", row("volume")),
        ("LT901", "tensorrt-8.4", row("norm")),
        ("LT901", "tensorrt-8.4", row("volume")),
        ("LT901", "tensorrt-8.4", row("kept")),
        ("LT903", "tensorrt-8.4", row("counted")),
        ("LT903", "tensorrt-8.6", row("counted")),
        ("LT906", "tensorrt-8.6", row("volume")),
        ("LT902", "tensorrt-5.1", 1),
        ("LT902", "tensorrt-8.4", 1),
        ("LT902", "tensorrt-8.6", 1),
    }


def test_the_graph_of_the_new_exporter_is_judged_line_by_line(tmp_path: Path) -> None:
    found = tried(tmp_path, "onnx", "trt-7.2", "trt-11.2", "ort-1.31", "openvino", opset=20)
    assert exactly(found) == {
        ("LT901", "tensorrt-7.2", row("norm")),
        ("LT901", "tensorrt-7.2", row("cumsum")),
        ("LT901", "tensorrt-7.2", row("counted")),
        ("LT901", "tensorrt-7.2", row("volume")),
        ("LT901", "tensorrt-7.2", row("kept")),
        ("LT903", "tensorrt-11.2", row("counted")),
        ("LT902", "tensorrt-7.2", 1),
    }


EARLY = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = nn.CELU()  # celu
        self.shuffle = nn.PixelShuffle(2)
        self.pool = nn.AvgPool2d(2)  # pool
        self.slope = nn.PReLU()  # slope

    def forward(self, x: torch.Tensor):
        x = self.pool(self.slope(self.act(self.shuffle(x))))
        return torch.cumsum(x, 1)  # cumsum


def export(model, args):
    torch.onnx.export(model, args, "net.onnx", opset_version=OPSET, dynamo=False)  # export
"""


def early(folder: Path, opset: int, *targets: str) -> dict[tuple[str, str | None, str], str]:
    """What is said of each marked line at an opset: by code, target and mark."""
    folder.joinpath("net.py").write_text(EARLY.replace("OPSET", str(opset)))
    named = [word for target in targets for word in ("--target", target)]
    marks = {n: line.rpartition("# ")[2] for n, line in enumerate(EARLY.splitlines(), 1)}
    found = findings("--select", "LT901,LT902,LT903,LT906", *named, cwd=folder)
    return {(f["code"], f["target"], marks[f["location"]["row"]]): f["message"] for f in found}


def test_an_operator_below_its_first_opset_is_refused_whatever_the_target(tmp_path: Path) -> None:
    below = early(tmp_path, 10)
    assert below.keys() == {("LT902", None, "celu"), ("LT902", None, "cumsum")}
    assert "cumsum needs opset 11, and 10 is written" in below["LT902", None, "cumsum"]
    assert early(tmp_path, 11).keys() == {("LT902", None, "celu")}
    assert early(tmp_path, 12) == {}


def test_a_documented_operator_without_importer_is_missing(tmp_path: Path) -> None:
    found = early(tmp_path, 9, "tensorrt-5.1", "tensorrt-6.0")
    slope = {key: said for key, said in found.items() if key[2] == "slope"}
    assert slope.keys() == {("LT901", "tensorrt-5.1", "slope")}
    assert "whatever its documentation says" in slope["LT901", "tensorrt-5.1", "slope"]
    assert "tensorrt-6.0 has it" in slope["LT901", "tensorrt-5.1", "slope"]


def test_a_released_library_is_not_its_later_parser(tmp_path: Path) -> None:
    library, parser = "tensorrt-7.2", "tensorrt-7.2-oss21.05"
    found = early(tmp_path, 13, library, parser)
    assert found.keys() == {
        ("LT901", library, "celu"),
        ("LT901", library, "cumsum"),
        ("LT902", library, "export"),
    }
    assert "opsets up to 11" in found["LT902", library, "export"]


def test_an_operator_without_kernel_at_a_newer_opset_is_missing_there_only(tmp_path: Path) -> None:
    found = early(tmp_path, 19, "ort-1.15", "ort-1.16")
    assert found.keys() == {("LT901", "onnxruntime-1.15", "pool")}
    said = found["LT901", "onnxruntime-1.15", "pool"]
    assert "no AveragePool as of opset 19" in said
    assert "onnxruntime-1.16 has it" in said
    assert early(tmp_path, 18, "ort-1.15") == {}


def test_an_export_refused_for_its_opset_says_which_would_do(tmp_path: Path) -> None:
    tmp_path.joinpath("net.py").write_text(EARLY.partition("def export")[0])
    found = findings(
        *("--select", "LT902,LT904", "--export", "onnx-legacy", "--opset", "10"), cwd=tmp_path
    )
    (trial,) = [f for f in found if f["evidence"] == "export"]
    assert (trial["code"], trial["severity"]) == ("LT902", "error")
    assert "ask for opset_version=12, the lowest" in trial["message"]


PROGRAM = """
import torch
from torch import nn


class Rank(nn.Module):
    def forward(self, x: torch.Tensor):
        x = torch.relu(x) + x.mean(1, keepdim=True)
        return x.cummax(1).values  # rank
"""


def test_operators_that_nothing_decomposes_are_looked_up_for_converters_of_programs(
    tmp_path: Path,
) -> None:
    tmp_path.joinpath("net.py").write_text(PROGRAM)
    names = ("executorch-1.5", "litert-0.10", "tvm-pytorch-0.27", "openvino-pytorch-2026.4")
    named = [word for name in names for word in ("--target", name)]
    found = findings("--select", "LT901", "--trace", *named, cwd=tmp_path)
    assert {(f["target"], f["location"]["row"], f["evidence"]) for f in found} == {
        (name, 9, "trace") for name in names[:3]
    }
    assert all("has no aten.cummax.default" in f["message"] for f in found)
    assert findings("--select", "LT901", *named, cwd=tmp_path) == []


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("executorch", "with --trace, the operators of the torch.export program"),
        ("openvino-pytorch", "nothing: the table is there to be read"),
        ("ncnn", "layers and functions of the source by their names"),
        ("tensorrt-8.6", "opsets of export calls"),
    ],
)
def test_each_target_says_what_is_checked_for_it(tmp_path: Path, name: str, says: str) -> None:
    told = json.loads(lintorch("targets", name, "--output-format", "json", cwd=tmp_path).stdout)
    assert says in told["checked"]
    shown = " ".join(lintorch("targets", name, cwd=tmp_path).stdout.split())
    assert says in shown


RUNS = """
import torch
from torch import nn
from torch.nn import functional as F


class Volume(nn.Module):
    def forward(self, image: torch.Tensor):
        flow = image.permute(0, 2, 3, 1)[:, None, :, :, :3].tanh()
        deep = F.grid_sample(image[:, :, None], flow, align_corners=False)  # volume
        flat = F.grid_sample(image, flow[:, 0, :, :, :2], align_corners=False)
        return F.celu(deep.double()), flat  # double
"""


def test_a_run_tells_of_ranks_and_types_without_an_export(tmp_path: Path) -> None:
    tmp_path.joinpath("net.py").write_text(RUNS)
    tmp_path.joinpath("lintorch.toml").write_text('exporters = ["onnx-legacy"]\nopset = 20\n')
    named = ("--target", "tensorrt-8.6", "--target", "tensorrt-11.2", "--target", "ort-1.31")
    found = findings("--select", "LT903,LT906", "--trace", *named, cwd=tmp_path)
    rows = {n: line.rpartition("# ")[2] for n, line in enumerate(RUNS.splitlines(), 1)}
    assert {(f["code"], f["target"], rows[f["location"]["row"]], f["evidence"]) for f in found} == {
        ("LT906", "tensorrt-8.6", "volume", "trace"),
        ("LT903", "onnxruntime-1.31", "double", "trace"),
    }


CHOOSES = """
import torch
from torch import nn


class Chooses(nn.Module):
    def forward(self, image: torch.Tensor):
        return torch.nonzero(image > 0)
"""


def test_an_output_that_is_as_long_as_the_data_says_needs_an_allocator(tmp_path: Path) -> None:
    tmp_path.joinpath("net.py").write_text(CHOOSES)
    named = ("--target", "tensorrt-8.6", "--target", "ort-1.20")
    export = ("--export", "onnx-legacy", "--opset", "17")
    found = findings("--select", "LT906", *named, *export, cwd=tmp_path)
    assert [(f["code"], f["target"], f["severity"]) for f in found] == [
        ("LT906", "tensorrt-8.6", "note")
    ]
    assert "NonZero makes as many values as the data says" in found[0]["message"]


AVERAGED = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)

    def forward(self, image):
        return self.conv(image).mean((2, 3))


torch.onnx.export(Net(), (torch.rand(1, 3, 8, 8),), "net.onnx", opset_version=17)
"""


def opset_told(folder: Path, *arguments: str) -> list[dict[str, Any]]:
    return findings("--select", "LT902", "--target", "tensorrt-8.6", *arguments, cwd=folder)


def test_the_opset_that_is_told_is_the_one_in_the_file(tmp_path: Path) -> None:
    tmp_path.joinpath("net.py").write_text(AVERAGED)
    (feared,) = opset_told(tmp_path)
    assert "opset 18 is written unless all of the model can be converted to 17" in feared["message"]
    (seen,) = opset_told(tmp_path, "--export", "onnx")
    assert "opset 18 is written by onnx where 17 is asked for" in seen["message"]
    assert seen["location"] == feared["location"]
    tmp_path.joinpath("net.py").write_text(AVERAGED.replace(".mean((2, 3))", ".relu()"))
    assert opset_told(tmp_path, "--export", "onnx") == []


def test_the_matrix_says_of_a_target_what_the_findings_say(tmp_path: Path) -> None:
    tmp_path.joinpath("net.py").write_text(AVERAGED)
    both = ("--target", "tensorrt-8.6", "--target", "tensorrt-10.0")
    done = lintorch("export", *both, "--output-format", "json", cwd=tmp_path)
    assert done.returncode == 1
    old, new = json.loads(done.stdout)["trials"]
    assert [(t["target"], t["status"], t["opset"]) for t in (old, new)] == [
        ("tensorrt-8.6", "doubtful", 18),
        ("tensorrt-10.0", "ok", 18),
    ]
    assert old["message"] == old["findings"][0]["message"]
    assert (old["stage"], old["location"]["row"]) == ("target", 6)


def test_a_file_of_a_newer_ir_version_is_refused_whatever_its_opset(tmp_path: Path) -> None:
    tmp_path.joinpath("net.py").write_text(AVERAGED.replace("version=17", "version=18"))
    for exported in ((), ("--export", "onnx")):
        named = ("--target", "onnxruntime-1.17", "--target", "onnxruntime-1.18")
        (found,) = findings("--select", "LT902", *named, *exported, cwd=tmp_path)
        assert (found["target"], found["severity"]) == ("onnxruntime-1.17", "error")
        assert "onnx writes IR version 10" in found["message"]
        assert "its highest is 9 (onnxruntime-1.18 takes it)" in found["message"]


@pytest.mark.parametrize("width", [80, 100, 200])
def test_targets_fit_the_terminal(width: int) -> None:
    table = format_target_table(tuple(list_targets()), width)
    assert max(map(len, table.splitlines())) <= width
    unfolded = format_target_table(tuple(list_targets()))
    assert "".join(table.split()) == "".join(unfolded.split())
    one = format_target(find_target("tensorrt-8.6"), width)
    assert max(map(len, one.splitlines())) <= width
    assert one.split() == format_target(find_target("tensorrt-8.6")).split()


@pytest.mark.parametrize("release", ["1.8", "1.9", "1.10", "1.11"])
def test_a_kernel_that_one_type_lacks_is_there_for_the_others(release: str) -> None:
    """Add, Sub and Div of opset 14 were tried with uint8 alone there, which their kernels lack."""
    target = find_target(f"onnxruntime-{release}")
    assert all(target.supports(name, 14) for name in ("Add", "Sub", "Mul", "Div", "Relu"))
    assert not target.supports("GridSample", 16) or release == "1.11"
