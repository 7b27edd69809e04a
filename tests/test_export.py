"""`lintorch export`: a matrix of models and exporters, its files, and an end that leaves nothing behind."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("onnxscript")
pytest.importorskip("onnxruntime")

from examining import examine_files
from running import CHECKOUT, interpreter, lintorch
from watched import PATIENCE, wait_for

from lintorch.core.finding import Finding, Place, Severity
from lintorch.record.events.base import OperatorCall
from lintorch.record.model_options import ModelLimits
from lintorch.record.models import Model
from lintorch.record.outcomes import AS_TRACED, Outcome, Variation
from lintorch.report import write_matrix
from lintorch.report.matrix import Matrix, Row, Tried

NETS = """\
import torch
from torch import nn


class Plain(nn.Module):
    def __init__(self, width=4):
        super().__init__()
        self.conv = nn.Conv2d(3, width, 1)

    def forward(self, x):
        return (self.conv(x),)


class Decompose(nn.Module):
    def forward(self, x):
        q = torch.linalg.qr(x)[0]
        return torch.special.bessel_j0(q)


class Deep(nn.Module):
    def __init__(self, channels, activation=nn.ReLU):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(channels, 4, 1), activation())
        self.parts = nn.ModuleList([nn.ReLU(), nn.Sequential(nn.Tanh(), Decompose())])

    def forward(self, x):
        x = self.stem(x)
        for part in self.parts:
            x = part(x)
        return x


class Baked(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)

    def forward(self, x):
        return self.conv(x).reshape(int(x.shape[0]), -1)
"""
EXPORTERS = ("torch.export", "onnx-legacy", "torchscript-trace")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    folder.joinpath("nets").mkdir()
    folder.joinpath("nets", "net.py").write_text(NETS)
    return folder


@pytest.fixture(scope="module")
def exported(project: Path) -> dict[str, Any]:
    to = [word for name in EXPORTERS for word in ("--to", name)]
    written = ["--output", "out", "--repro", "repro"]
    done = lintorch("export", "nets", *to, *written, "--output-format", "json", cwd=project)
    assert done.returncode == 1, done.stderr
    assert done.stderr == ""
    matrix: dict[str, Any] = json.loads(done.stdout)
    return matrix


def trial(matrix: dict[str, Any], model: str, exporter: str) -> dict[str, Any]:
    name = f"nets/net.py:{model}"
    trials: list[dict[str, Any]] = matrix["trials"]
    (found,) = (t for t in trials if (t["model"], t["exporter"]) == (name, exporter))
    return found


def test_every_model_goes_through_every_exporter_in_order(exported: dict[str, Any]) -> None:
    models = [model["model"] for model in exported["models"]]
    assert sorted(models) == ["nets/net.py:Baked", "nets/net.py:Deep", "nets/net.py:Plain"]
    order = [(trial["model"], trial["exporter"]) for trial in exported["trials"]]
    assert order == [(model, exporter) for model in models for exporter in EXPORTERS]
    assert [trial(exported, "Plain", name)["status"] for name in EXPORTERS] == ["ok"] * 3
    assert [trial(exported, "Deep", name)["status"] for name in EXPORTERS] == ["ok", "failed", "ok"]
    found = [trial(exported, "Baked", name)["status"] for name in EXPORTERS]
    assert found == ["failed", "wrong", "wrong"]


def test_a_trial_has_the_documented_keys(exported: dict[str, Any]) -> None:
    right = trial(exported, "Plain", "onnx-legacy")
    assert {
        "model",
        "exporter",
        "opset",
        "target",
        "status",
        "stage",
        "operator",
        "location",
    } < set(right)
    assert {"message", "limits", "max_abs_error", "seconds", "artifact"} < set(right)
    assert (right["opset"], right["target"], right["message"]) == (20, None, None)
    assert 0 <= right["max_abs_error"] < 1e-4
    assert right["seconds"] > 0


def test_json_tells_what_a_trial_rests_on(exported: dict[str, Any]) -> None:
    (model,) = (each for each in exported["models"] if each["model"] == "nets/net.py:Baked")
    assert [(each["path"], each["class"]) for each in model["layers"]] == [
        ("conv", "torch.nn.Conv2d")
    ]
    conv, reshape = model["graph"]["nodes"]
    assert (conv["operator"], conv["takes"]) == ("torch.nn.functional.conv2d", [-1])
    assert (reshape["operator"], reshape["takes"]) == ("torch.Tensor.reshape", [0])
    first, second = model["graph"]["runs"]
    assert [shapes[0][0] for shapes in conv["outputs"]] == [first["batch"], second["batch"]]
    (finding,) = (exported["findings"][number] for number in model["findings"])
    assert (finding["code"], finding["evidence"]) == ("LT101", "export")
    (change,) = finding["fix"]["diff"]
    assert change["new"] == ["        return self.conv(x).reshape(x.shape[0], -1)"]
    parts = [part["text"] for part in exported["sources"] if change["old"][0] in part["text"]]
    assert len(parts) == 1


def test_every_output_is_measured_at_every_size(exported: dict[str, Any]) -> None:
    right = trial(exported, "Plain", "onnx-legacy")
    measured = right["differences"]
    assert [each["sizes"] for each in measured] == right["compared"]
    assert all(0 <= each["amount"] <= each["tolerance"] for each in measured)
    assert right["max_abs_error"] == max(each["amount"] for each in measured)
    wrong = trial(exported, "Baked", "torchscript-trace")
    assert [each["sizes"] for each in wrong["wrong"]] == [
        at for at in wrong["compared"] if at["batch"] != wrong["compared"][0]["batch"]
    ]
    assert wrong["nodes"]


def test_beside_an_earlier_run_only_what_got_worse_is_a_failure(
    project: Path, tmp_path: Path, exported: dict[str, Any]
) -> None:
    old, page = tmp_path / "old.json", tmp_path / "page.html"
    old.write_text(json.dumps(exported))
    asked = ["nets", "--model", "Baked", "--to", "torchscript-trace", "--html", page]
    done = lintorch("export", *asked, "--compare", old, cwd=project)
    assert done.returncode == 0, done.stderr
    assert f"since {old}: 8 gone" in done.stdout
    assert "nets/net.py:Baked" in page.read_text("utf-8")
    old.write_text("[]")
    refused = lintorch("export", *asked, "--compare", old, cwd=project)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "old.json: this is not what" in refused.stderr


def test_interpreters_are_compared(project: Path) -> None:
    asked = ["nets", "--model", "Baked", "--to", "torchscript-trace"]
    same = f"a={interpreter()},b={interpreter()}"
    done = lintorch("export", *asked, "--matrix", same, cwd=project)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0].split()[1:] == [
        *("torchscript-trace", "@", "a"),
        *("torchscript-trace", "@", "b"),
    ]
    assert done.stdout.endswith("since a: nothing has changed\n")
    for wrong in ("a=x", "a=x,a=y", "x,y", f"{same} --suggest"):
        refused = lintorch("export", *asked, "--matrix", *wrong.split(" "), cwd=project)
        assert refused.returncode == 2
        assert "--matrix" in refused.stderr


PARTS = """import torch
from torch import nn


class Block(nn.Module):
    def forward(self, x):
        return x.view(int(x.size(0)), -1)


class Other(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 4)

    def forward(self, x):
        return self.fc(x)
"""
USERS = """from torch import nn
from parts import Block


class User(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.block = nn.Conv2d(3, 4, 1), Block()

    def forward(self, x):
        return self.block(self.conv(x))


class Broken(nn.Module):
    def forward(self, x):
        raise RuntimeError("no")
"""


def test_shards_that_are_merged_give_the_report_of_one_run(tmp_path: Path) -> None:
    texts = {"parts": PARTS, "users": USERS, "a": USERS.replace("User", "Again"), "plain": NETS}
    for name, text in texts.items():
        tmp_path.joinpath(f"{name}.py").write_text(text)
    asked = ["export", "--to", "torchscript-trace", "--output-format", "json"]
    whole = lintorch(*asked, cwd=tmp_path)
    for shard in ("1/3", "2/3", "3/3"):
        done = lintorch(*asked, "--shard", shard, cwd=tmp_path)
        assert done.returncode in (0, 1), done.stderr
        tmp_path.joinpath(f"{shard[0]}.json").write_text(done.stdout)
    merged = lintorch(
        "merge", "3.json", "1.json", "2.json", "--output-format", "json", cwd=tmp_path
    )
    assert merged.returncode == whole.returncode == 1
    assert hide_times(merged.stdout) == hide_times(whole.stdout)
    assert '"parts.py:Block"' not in merged.stdout
    some = lintorch("merge", "1.json", "3.json", cwd=tmp_path)
    assert (some.returncode, some.stderr) == (2, "lintorch: shard 2/3 missing\n")


def hide_times(text: str) -> list[str]:
    return re.sub(r'"seconds": [\d.e-]+', '"seconds": 0', text).splitlines()


def test_a_page_that_cannot_be_written_is_said(project: Path) -> None:
    asked = ["nets", "--model", "Plain", "--to", "torchscript-trace"]
    done = lintorch("export", *asked, "--html", "none/page.html", cwd=project)
    assert done.returncode == 2
    assert "none/page.html: No such file or directory; no page was written" in done.stderr


def test_a_failure_names_all_operators_the_line_and_the_smallest_part(
    exported: dict[str, Any],
) -> None:
    failed = trial(exported, "Deep", "onnx-legacy")
    assert failed["stage"] == "export"
    assert failed["operators"] == ["aten::linalg_qr", "aten::special_bessel_j0"]
    assert failed["operator"] == "aten::linalg_qr"
    assert failed["lowest_opset"] is None
    row = NETS.splitlines().index("        q = torch.linalg.qr(x)[0]") + 1
    assert failed["location"] == {"filename": "nets/net.py", "cell": None, "row": row}
    assert failed["part"] == "parts.1.1 (Decompose)"
    (finding,) = failed["findings"]
    assert finding["code"] == "LT904"
    assert "the smallest part that fails alone is parts.1.1 (Decompose)" in finding["message"]
    assert failed["artifact"] is None


def test_what_a_rule_explains_is_told_at_its_line(exported: dict[str, Any]) -> None:
    for exporter in EXPORTERS:
        (finding,) = trial(exported, "Baked", exporter)["findings"]
        assert finding["code"] == "LT101"
        assert finding["location"]["row"] == len(NETS.splitlines())


def test_artifacts_are_written_where_asked_and_nothing_else(
    exported: dict[str, Any], project: Path
) -> None:
    written = [trial["artifact"] for trial in exported["trials"] if trial["artifact"]]
    assert "out/nets/net.Plain/torch.export/model.pt2" in written
    assert "out/nets/net.Plain/onnx-legacy/model.onnx" in written
    assert "out/nets/net.Deep/torchscript-trace/model.pt" in written
    there = [path for path in project.joinpath("out").rglob("*") if path.is_file()]
    assert sorted(path.relative_to(project).as_posix() for path in there) == sorted(written)
    assert {path.name for path in project.iterdir()} == {"nets", "out", "repro"}
    program = (
        "import torch; p = torch.export.load('out/nets/net.Plain/torch.export/model.pt2');"
        "print([*p.module()(torch.zeros(5, 3, 7, 9))[0].shape])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=project, capture_output=True, text=True
    )
    assert done.stdout.strip() == "[5, 4, 7, 9]", done.stderr


@pytest.mark.parametrize(
    ("model", "exporter", "said"),
    [
        ("Baked", "torch.export", "marked L['x'].size()[0] as dynamic but your code specialized"),
        ("Baked", "onnx-legacy", "wrong at {'batch': 3, "),
        ("Baked", "torchscript-trace", "the outputs are [[2, "),
        ("Deep", "onnx-legacy", "'aten::linalg_qr' to ONNX opset version 20 is not supported"),
    ],
)
def test_a_program_shows_the_same_without_lintorch(
    model: str, exporter: str, said: str, exported: dict[str, Any], project: Path, tmp_path: Path
) -> None:
    path = trial(exported, model, exporter)["repro"]
    text = project.joinpath(path).read_text()
    assert "lintorch" not in text
    tmp_path.joinpath("repro.py").write_text(text)
    done = subprocess.run([interpreter(), "repro.py"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1
    assert said in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["repro.py"]


def test_there_is_no_program_for_what_is_right(exported: dict[str, Any], project: Path) -> None:
    programs = {trial["repro"] for trial in exported["trials"] if trial["status"] == "ok"}
    assert programs == {None}
    assert len([*project.joinpath("repro").iterdir()]) == 4


def test_the_lowest_opset_that_would_do_is_named(tmp_path: Path) -> None:
    tmp_path.joinpath("warp.py").write_text(
        "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n\n\n"
        "class Warp(nn.Module):\n    def forward(self, x):\n"
        "        grid = F.affine_grid(torch.eye(2, 3).expand(x.shape[0], 2, 3), x.shape)\n"
        "        return F.grid_sample(x, grid)\n"
    )
    to = ["--to", "onnx-legacy", "--opset", "11", "--output-format", "json"]
    (found,) = json.loads(lintorch("export", ".", *to, cwd=tmp_path).stdout)["trials"]
    assert found["operators"] == ["aten::affine_grid_generator", "aten::grid_sampler"]
    assert found["lowest_opset"] == 20


def test_by_default_the_project_s_exporters_are_tried_and_all_right_is_0(tmp_path: Path) -> None:
    tmp_path.joinpath("net.py").write_text(NETS.partition("class Decompose")[0])
    settings = '[tool.lintorch]\nexporters = ["torchscript-trace"]\n'
    tmp_path.joinpath("pyproject.toml").write_text(settings)
    done = lintorch("export", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "model         torchscript-trace",
        "net.py:Plain  ok",
        "",
        "  net.py:Plain ok at 64, 129×161, 32×48 (batch 2, 3)",
        "",
        "1 export of 1 model: 1 ok",
    ]


def test_what_cannot_be_done_is_2(tmp_path: Path) -> None:
    assert lintorch("export", cwd=tmp_path).returncode == 2
    done = lintorch("export", "absent.py", cwd=tmp_path)
    assert (done.returncode, "absent.py" in done.stderr) == (2, True)
    tmp_path.joinpath("net.py").write_text(NETS)
    done = lintorch("export", "--python", tmp_path / "python", "--output", "out", cwd=tmp_path)
    assert (done.returncode, "cannot start" in done.stderr) == (2, True)
    assert not tmp_path.joinpath("out").exists()


HOSTILE = """\
import ctypes, os, subprocess, sys, threading, time
import torch
from torch import nn


def exporting():
    return torch.jit.is_tracing() or torch.compiler.is_exporting()


class Crashes(nn.Module):
    def forward(self, x):
        if exporting():
            ctypes.string_at(0)
        return x * 2


class Vanishes(nn.Module):
    def forward(self, x):
        if exporting():
            os._exit(0)
        return x * 2


class Exits(nn.Module):
    def forward(self, x):
        if exporting():
            sys.exit(0)
        return x * 2


class Hangs(nn.Module):
    def forward(self, x):
        if exporting():
            subprocess.Popen(["sleep", "631"])
            time.sleep(631)
        return x * 2


class Throws(nn.Module):
    def forward(self, x):
        if exporting():
            ctypes.PyDLL("libstdc++.so.6")._Znwm(ctypes.c_size_t(2**44))
        return x * 2


class Halts(nn.Module):
    def forward(self, x):
        if exporting():
            os.write(2, b"what():  [enforce fail at inline_container.cc:672] . unexpected pos 64 vs 8")
            os.abort()
        return x * 2


class Eats(nn.Module):
    def forward(self, x):
        if exporting():
            self.held = [bytes(2**28) for _ in range(2**20)]
        return x * 2


class Floods(nn.Module):
    def forward(self, x):
        if exporting():
            for _ in range(64):
                print("y" * 2**20)
        return x * 2


class Threads(nn.Module):
    def forward(self, x):
        threading.Thread(target=time.sleep, args=(631,)).start()
        return x * 2
"""
FATES = {
    "Crashes": "SIGSEGV",
    "Vanishes": "exit status 0",
    "Exits": "SystemExit",
    "Hangs": "did not finish within 12 s",
    "Eats": "memory",
    "Throws": "memory",
    "Halts": "`trace-memory`",
    "Floods": "",
    "Threads": "",
}


def test_a_model_that_misbehaves_when_exported_spoils_nothing_else(tmp_path: Path) -> None:
    for name in ("one", "other"):
        tmp_path.joinpath(f"{name}.py").write_text(NETS.partition("class Decompose")[0])
    tmp_path.joinpath("hostile.py").write_text(HOSTILE)
    files = tuple(str(tmp_path / f"{name}.py") for name in ("one", "hostile", "other"))
    exporters = ("torch.export", "torchscript-trace")
    limits = ModelLimits(seconds=30, trial_seconds=12, memory=2 * 2**30)
    reports = examine_files(
        files, tmp_path, exporters=exporters, graphs=False, limits=limits, processes=2
    )
    found: dict[str, list[tuple[str, ...]]] = {}
    for report in reports:
        assert report.model is not None
        told = [tuple(o.message for o in report.outcomes), tuple(o.stage for o in report.outcomes)]
        found[f"{Path(report.model.path).name}:{report.model.qualname}"] = told
    assert found.pop("one.py:Plain") == found.pop("other.py:Plain") == [("", ""), ("", "")]
    for name, cause in FATES.items():
        messages, stages = found.pop(f"hostile.py:{name}")
        assert set(stages) == ({"stopped"} if cause else {""}), name
        assert all(cause in message for message in messages), name
    assert not found
    assert not sleeping()


def test_a_model_whose_weights_do_not_fit_is_traced_without_them(tmp_path: Path) -> None:
    tmp_path.joinpath("big.py").write_text(
        "import torch\nfrom torch import nn\n\n\nclass Big(nn.Module):\n"
        "    def __init__(self):\n        super().__init__()\n"
        "        self.layers = nn.Sequential(*[nn.Linear(45000, 45000) for _ in range(1)])\n\n"
        "    def forward(self, x):\n        return self.layers(x).relu()\n"
    )
    limits = ModelLimits(seconds=60, trial_seconds=30, memory=2 * 2**30)
    (report,) = examine_files([tmp_path / "big.py"], tmp_path, exporters=("onnx",), limits=limits)
    assert report.failure is None
    assert report.model is not None
    assert report.model.parameters == 45000 * 45001
    calls = [e for e in report.runs[0].events if isinstance(e, OperatorCall)]
    assert "torch.relu" in {call.name.replace("Tensor.", "") for call in calls}
    assert [each.ok for each in report.captures] == [True, True]
    (outcome,) = report.outcomes
    assert (outcome.status, outcome.stage) == ("failed", "stopped")
    assert "weights do not fit" in outcome.message


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_an_interrupt_leaves_no_process_and_no_file(tmp_path: Path) -> None:
    tmp_path.joinpath("slow.py").write_text(HOSTILE.replace("631", "641"))
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "lintorch", "export", "slow.py", "--output", "out"),
            *("--to", "torch.export", "--to", "torchscript-trace", "--config", os.devnull),
        ],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(CHECKOUT), "TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=hearing_interrupts,
    )
    wait_for(lambda: sleeping("641") or process.poll() is not None)
    assert process.poll() is None, process.communicate()
    assert [*temporary.iterdir()]
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (130, "")
    assert err == "lintorch: stopped; no file is half written\n"
    assert [*temporary.iterdir()] == []
    assert {path.name for path in tmp_path.iterdir()} == {"slow.py", "temporary"}
    assert not sleeping("641")
    assert not [line for line in command_lines() if str(temporary) in line]


def hearing_interrupts() -> None:
    """A run that is started in the background ignores them, and so does all that it starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def sleeping(seconds: str = "631") -> list[str]:
    return [line for line in command_lines() if line == f"sleep {seconds}"]


def command_lines() -> list[str]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found.append(path.read_text(errors="replace").replace("\0", " ").strip())
        except OSError:
            continue
    return found


def matrix() -> Matrix:
    place = Place("net.py", 7)
    finding = Finding("LT904", "export-failed", "onnx fails [at] export", Severity.ERROR, place)
    outcome = Outcome("onnx", "failed", "export", "no", part="neck.1 (Grid)", enough=20)
    failed = Tried(outcome, (finding,))
    random = Tried(Outcome("torch.export", "random", detail="the eager model itself is random"))
    row = Row(Model("net.py", "Net[0]", 3), tried=(failed, random))
    return Matrix(("onnx", "torch.export"), (row,))


@pytest.mark.parametrize("width", [None, 80])
def test_the_table_is_drawn_on_a_terminal_and_plain_elsewhere(width: int | None) -> None:
    out = io.StringIO()
    write_matrix("full", matrix(), out, width=width)
    text = out.getvalue()
    assert ("│" in text) == (width is not None)
    for said in ("net.py:Net[0]", "failed", "ok, random", "net.py:7: LT904 onnx fails [at] export"):
        assert said in text
    assert "the smallest part that fails alone is neck.1 (Grid)" in text
    assert "opset 20 has a translation for all of these" in text
    assert "\x1b" not in text
    assert text.endswith("2 exports of 1 model: 1 ok, 1 failed\n")


def test_a_right_export_says_what_it_was_compared_at() -> None:
    sizes = {"batch": 2, "height": 64, "width": 64}
    others = (Variation(("batch",), (3,)), Variation(("height", "width"), (97, 129)))
    varied = Outcome("onnx", "ok", compared=(AS_TRACED, *others))
    once = Outcome("onnx", "ok", compared=(AS_TRACED,))
    rows = (
        Row(Model("net.py", "Varied", 3, sizes=sizes), tried=(Tried(varied),)),
        Row(Model("net.py", "Still", 9), tried=(Tried(once),)),
    )
    out = io.StringIO()
    write_matrix("full", Matrix(("onnx",), rows), out, width=None)
    assert "net.py:Varied ok at 64, 97×129 (batch 2, 3)" in out.getvalue()
    assert "net.py:Still ok at the traced size only: no size could be varied" in out.getvalue()
    assert re.search(r"Varied +ok\n.*Still +ok at one size\n", out.getvalue())
    told = io.StringIO()
    write_matrix("json", Matrix(("onnx",), rows), told, width=None)
    first, second = (trial["compared"] for trial in json.loads(told.getvalue())["trials"])
    assert first == [sizes, {**sizes, "batch": 3}, {**sizes, "height": 97, "width": 129}]
    assert second == [{}]


MISH = """\
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)
        self.act = nn.Mish()

    def forward(self, x):
        return self.act(self.conv(x))
"""


def test_an_export_is_judged_for_each_target(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(MISH)
    targets = ("--target", "ort-1.31", "--target", "tensorrt-8.4", "--output-format", "json")
    done = lintorch("export", ".", "--to", "onnx,torch.export", *targets, cwd=tmp_path)
    trials = json.loads(done.stdout)["trials"]
    assert [(t["exporter"], t["target"], t["status"]) for t in trials] == [
        ("onnx", "onnxruntime-1.31", "ok"),
        ("onnx", "tensorrt-8.4", "failed"),
        ("torch.export", None, "ok"),
    ]
    refused = trials[1]
    assert refused["location"] == {"filename": "net.py", "cell": None, "row": 8}
    assert refused["stage"] == "target"
    assert "Mish" in refused["message"]
    assert done.returncode == 1


def test_a_target_without_a_table_is_told_at_once(tmp_path: Path) -> None:
    done = lintorch("export", ".", "--target", "tensorrt-8.3", cwd=tmp_path)
    assert done.returncode == 2
    assert "tensorrt-8.2" in done.stderr


def test_only_the_models_that_are_named_are_exported(project: Path) -> None:
    named = ["--model", "Plain", "--model", "nets/net.py:Deep", "--model", "Nobody"]
    to = ["--to", "torchscript-trace"]
    done = lintorch("export", "nets", *named, *to, "--output-format", "json", cwd=project)
    models = [model["model"] for model in json.loads(done.stdout)["models"]]
    assert sorted(models) == ["nets/net.py:Deep", "nets/net.py:Plain"]
    nothing = lintorch("export", "nets", "--model", "Nobody", *to, cwd=project)
    assert nothing.returncode == 2
    assert nothing.stderr == "lintorch: no models found\n"


def test_a_path_may_name_the_model(project: Path) -> None:
    to = ["--to", "torchscript-trace", "--output-format", "json"]
    done = lintorch("export", "nets/net.py:Plain", *to, cwd=project)
    assert [each["model"] for each in json.loads(done.stdout)["models"]] == ["nets/net.py:Plain"]
    whole = str(project / "nets" / "net.py:Deep")
    done = lintorch("export", whole, *to, cwd=project)
    assert [each["model"] for each in json.loads(done.stdout)["models"]] == ["nets/net.py:Deep"]


def test_a_factory_that_is_asked_for_is_a_model(tmp_path: Path) -> None:
    tmp_path.joinpath("net.py").write_text(
        "from torch import nn\n\n\nclass Net(nn.Module):\n    def __init__(self, width=4):\n"
        "        super().__init__()\n        self.conv = nn.Conv2d(3, width, 1)\n\n"
        "    def forward(self, x):\n        return self.conv(x)\n\n\n"
        "def net_narrow():\n    return Net(2)\n\n\ndef net_wide():\n    return Net(9)\n"
    )
    to = ["--to", "torchscript-trace", "--output-format", "json"]
    done = lintorch("export", "net.py:net_wide", *to, cwd=tmp_path)
    (model,) = json.loads(done.stdout)["models"]
    assert (model["model"], model["parameters"]) == ("net.py:net_wide", 36), done.stderr
    whole = lintorch("export", "net.py", *to, cwd=tmp_path)
    assert [each["model"] for each in json.loads(whole.stdout)["models"]] == ["net.py:Net"]


FIXED = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)

    def forward(self, x):
        y = self.conv(x)
        return y.view(int(y.shape[0]), -1)


if __name__ == "__main__":
    torch.onnx.export(Net(), torch.zeros(2, 3, 16, 16), "net.onnx", dynamo=False)
"""


def test_a_call_that_fixes_the_sizes_of_onnx_fixes_none_of_a_trace(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(FIXED)
    asked = ("--to", "onnx-legacy", "--to", "torchscript-trace", "--output-format", "json")
    trials = json.loads(lintorch("export", "net.py", *asked, cwd=tmp_path).stdout)["trials"]
    came = {trial["exporter"]: (trial["status"], len(trial["compared"])) for trial in trials}
    assert came["onnx-legacy"] == ("ok", 1)
    assert came["torchscript-trace"][0] == "wrong"
    done = lintorch("check", "net.py", "--config", "exporters=['torchscript-trace']", cwd=tmp_path)
    assert "LT101" in done.stdout
