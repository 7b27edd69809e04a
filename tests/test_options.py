"""The options of `lintorch check` that ruff has too mean what they mean there."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from functools import partial
from importlib.metadata import version
from pathlib import Path

import pytest
import tomllib
from jsonschema import Draft202012Validator
from running import CHECKOUT, COLD, codes, lintorch
from test_settings import WHOLE
from watched import PATIENCE, Run

from lintorch.catalog import build_catalog
from lintorch.report.rule_page import write_table
from lintorch.settings.describe_keys import make_schema

BAKED = """import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        return x.view(int(x.size(0)), -1)
"""
PLAIN = BAKED.replace("int(x.size(0))", "x.size(0)")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "net.py").write_text(BAKED)
    (tmp_path / "gone").mkdir()
    (tmp_path / "gone" / "old.py").write_text(BAKED)
    (tmp_path / "lintorch.toml").write_text('exclude = ["gone"]\nselect = ["LT101"]\n')
    return tmp_path


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ((), 1),
        (("--exclude", "net.py"), 1),
        (("--extend-exclude", "net.py,other"), 0),
        (("--per-file-ignores", "net.py:LT101,x/*:LT5"), 0),
        (("--per-file-ignores", "other.py:dynamic-size"), 1),
        (("--isolated", "--select", "LT101"), 2),
        (("--config", "exclude=[]"), 2),
        (("--config", "select=['LT5']"), 0),
        (("--config", "select=['LT5']", "--select", "LT101"), 1),
        (("--config", "per-file-ignores={'net.py'=['LT1']}"), 0),
    ],
)
def test_options_about_files_outweigh_settings(
    project: Path, options: tuple[str, ...], expected: int
) -> None:
    assert codes(*options, cwd=project) == ["LT101"] * expected


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--per-file-ignores", "net.py"), "PATTERN:RULE"),
        (("--target-torch", "new"), 'such as "2.4"'),
        (("--config", "selekt=[]"), "did you mean `select`?"),
        (("--config", "select=["), "--config"),
        (("--config", "lintorch.toml", "--isolated"), "cannot be combined"),
        (("--statistics", "--output-format", "sarif"), "--statistics takes the formats"),
        (("--config", "fail-on='grave'"), '"note", "warning" or "error"'),
    ],
)
def test_wrong_options_are_named(project: Path, options: tuple[str, ...], told: str) -> None:
    done = lintorch("check", *options, cwd=project)
    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr


def test_settings_extend_another_file(project: Path) -> None:
    (project / "base.toml").write_text('select = ["LT5"]\nexclude = ["net.py", "gone"]\n')
    (project / "lintorch.toml").write_text('extend = "base.toml"\nextend-select = ["LT101"]\n')
    assert codes(cwd=project) == []
    (project / "lintorch.toml").write_text(
        'extend = "base.toml"\nextend-select = ["LT101"]\nexclude = ["gone"]\n'
    )
    assert codes(cwd=project) == ["LT101"]


def test_settings_that_extend_each_other_are_named(project: Path) -> None:
    (project / "base.toml").write_text('extend = "lintorch.toml"\n')
    (project / "lintorch.toml").write_text('extend = "base.toml"\n')
    done = lintorch("check", cwd=project)
    assert done.returncode == 2
    assert "extends this file in turn" in done.stderr


def test_settings_say_which_findings_fail(project: Path) -> None:
    (project / "lintorch.toml").write_text('select = ["LT101"]\nfail-on = "error"\n')
    assert lintorch("check", "net.py", cwd=project).returncode == 0
    assert lintorch("check", "net.py", "--fail-on", "warning", cwd=project).returncode == 1


def test_statistics_count_by_rule(project: Path) -> None:
    (project / "net.py").write_text(BAKED + BAKED.replace("Net", "Other"))
    done = lintorch("check", "--statistics", cwd=project)
    assert (done.stdout, done.returncode) == ("2  LT101  [*] dynamic-size\n", 1)
    done = lintorch("check", "--statistics", "--output-format", "json", cwd=project)
    assert json.loads(done.stdout) == [
        {"code": "LT101", "name": "dynamic-size", "count": 2, "fixable_count": 2}
    ]


def test_files_are_listed_and_not_checked(project: Path) -> None:
    done = lintorch("check", "--show-files", cwd=project)
    assert (done.stdout, done.returncode) == ("net.py\n", 0)
    assert lintorch("check", "--show-files", "away.py", cwd=project).returncode == 2


def test_quiet_tells_findings_alone_and_silent_nothing(project: Path) -> None:
    run = partial(lintorch, "check", cwd=project)
    for form in ("concise", "grouped", "full"):
        quiet = run("-q", "--output-format", form).stdout
        assert quiet
        assert run("--output-format", form).stdout.startswith(quiet.rstrip("\n"))
        assert "Found" not in quiet
    silent = run("--silent")
    assert (silent.stdout, silent.stderr, silent.returncode) == ("", "", 1)
    (project / "net.py").write_text(PLAIN)
    assert run("-q").stdout == ""


def test_color_is_as_asked(project: Path) -> None:
    run = partial(lintorch, "check", cwd=project)
    assert "\x1b[" in run("--color", "always").stdout
    assert "\x1b[" not in run("--color", "never", FORCE_COLOR="1").stdout


def test_fixing_only_leaves_the_rest_untold(project: Path) -> None:
    (project / "lintorch.toml").write_text(
        'select = ["LT101"]\nunfixable = []\nexclude = ["gone"]\n'
    )
    other = "import torch\n\n\ndef f(x):\n    return torch.load(x)\n"
    (project / "other.py").write_text(other)
    done = lintorch("check", "--fix-only", "--extend-select", "security", cwd=project)
    assert done.returncode == 0
    assert (project / "net.py").read_text() == PLAIN
    assert "Fixed net.py: LT101 dynamic-size" in done.stdout
    assert "other.py" not in done.stdout


def test_a_fix_can_make_the_exit_code_1(project: Path) -> None:
    done = lintorch("check", "--fix", "--exit-non-zero-on-fix", cwd=project)
    assert (done.returncode, codes(cwd=project)) == (1, [])
    assert lintorch("check", "--fix", "--exit-non-zero-on-fix", cwd=project).returncode == 0


def test_the_torch_release_can_be_given(tmp_path: Path) -> None:
    text = "import torch\n\nwith torch.cuda.amp.autocast():\n    pass\n"
    (tmp_path / "net.py").write_text(text)
    run = partial(codes, "--select", "api", cwd=tmp_path)
    assert run("--target-torch", "2.9") != run("--target-torch", "1.12") == []


def test_all_rules_are_told_for_programs(tmp_path: Path) -> None:
    done = lintorch("rule", "--all", "--output-format", "json", cwd=tmp_path)
    told = {each["code"]: each for each in json.loads(done.stdout)}
    assert told["LT101"]["page"] == lintorch("rule", "LT101", cwd=tmp_path).stdout
    assert told["LT101"]["url"].endswith("/export/dynamic-size.md")
    assert lintorch("rule", "--all", "LT101", cwd=tmp_path).returncode == 2
    assert lintorch("rule", cwd=tmp_path).returncode == 2


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_list_of_rules_fits_a_terminal(width: int) -> None:
    rules = build_catalog().rules.values()
    told = write_table(rules, width)
    assert max(map(len, told.splitlines())) <= width
    assert all(f"{rule.code}  {rule.name}\n" in told for rule in rules)
    assert told.count("off by default") == sum(not rule.default for rule in rules) > 0


def test_a_schema_of_the_settings_takes_ours_and_refuses_typos() -> None:
    schema = json.loads((CHECKOUT / "lintorch/settings/schema.json").read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    judge = Draft202012Validator(schema)
    judge.validate(tomllib.loads(WHOLE))
    for wrong in ("selekt = []", "opset = '17'", "fail-on = 'grave'", "exporters = ['onyx']",
                  "[models.a]\nfactry = 'a:b'"):  # fmt: skip
        assert not judge.is_valid(tomllib.loads(wrong)), wrong


def test_a_key_is_explained_and_its_value_told(project: Path) -> None:
    done = lintorch("config", "exclude", cwd=project)
    assert done.returncode == 0
    assert "Files to leave out" in done.stdout
    assert '["gone"]' in done.stdout
    assert "fail-on" in lintorch("config", cwd=project).stdout.split()
    wrong = lintorch("config", "exlude", cwd=project)
    assert (wrong.returncode, "did you mean `exclude`?" in wrong.stderr) == (2, True)


def test_what_runs_keep_can_be_removed(project: Path, tmp_path: Path) -> None:
    own = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    lintorch("check", cwd=project, **own)
    kept = list((tmp_path / "cache").rglob("*.json"))
    assert kept
    (kept[0].parent / "mine.txt").write_text("")
    assert lintorch("clean", cwd=project, **own).returncode == 0
    assert [path.name for path in (tmp_path / "cache").rglob("*.*")] == ["mine.txt"]


def test_versions_of_torch_and_exporters_are_told(tmp_path: Path) -> None:
    plain = lintorch("--version", cwd=tmp_path).stdout
    told = lintorch("--version", "-v", cwd=tmp_path, **COLD).stdout
    assert told.startswith(plain)
    for name in ("torch", "onnx", "onnxruntime"):
        assert f"  {name} {version(name)}\n" in told


def test_an_exporter_that_nobody_knows_is_told_among_others(tmp_path: Path) -> None:
    done = lintorch("export", "--to", "onnx,onx", cwd=tmp_path)
    assert done.returncode == 2
    assert "'onx' is none of torch.export, onnx, " in done.stderr


def test_without_a_command_help_is_shown(tmp_path: Path) -> None:
    done = lintorch(cwd=tmp_path)
    assert (done.returncode, "Usage:" in done.stdout + done.stderr) == (2, True)


def test_telling_versions_runs_nothing_of_the_project(tmp_path: Path) -> None:
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text("#!/bin/sh\ntouch ran\n")
    python.chmod(0o755)
    (tmp_path / "lintorch.toml").write_text('python = ".venv"\n')
    assert lintorch("--version", "-v", cwd=tmp_path, VIRTUAL_ENV="").returncode == 0
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("rule dynamic-s", {"dynamic-size"}),
        ("check --select LT104,nan", {"LT104,nan-comparison"}),
        ("check --ignore sec", {"security"}),
        ("check --target tensorrt-8.6", {"tensorrt-8.6"}),
        ("export --to torchscript-t", {"torchscript-trace"}),
        ("check --export onnx,tv", {"onnx,tvm"}),
        ("check --target onnx,tensorrt-8.6", {"onnx,tensorrt-8.6"}),
    ],
)
def test_a_shell_is_told_what_may_come(line: str, offered: set[str]) -> None:
    words = f"lintorch {line}"
    asked = {"_LINTORCH_COMPLETE": "bash_complete", "COMP_WORDS": words}
    done = subprocess.run(
        [sys.executable, "-m", "lintorch"],
        env={
            **os.environ,
            **asked,
            "COMP_CWORD": str(words.count(" ")),
            "PYTHONPATH": str(CHECKOUT),
        },
        capture_output=True,
        text=True,
        check=True,
    )
    assert {each.removeprefix("plain,") for each in done.stdout.split()} == offered


def test_settings_are_told_with_their_origin(project: Path) -> None:
    (project / "base.toml").write_text('opset = 13\nextend-exclude = ["a"]\n')
    (project / "lintorch.toml").write_text(
        'extend = "base.toml"\nselect = ["LT101"]\nextend-exclude = ["gone"]\n'
    )
    (project / "export.py").write_text("import torch\ntorch.onnx.export(1, 2)\n")
    run = partial(lintorch, "check", "--show-settings", cwd=project)
    done = run("--config", "fail-on='error'", "--extend-exclude", "b")
    assert (done.returncode, done.stderr) == (0, "")
    told = dict(line.split("  # ") for line in done.stdout.splitlines() if "  # " in line)
    assert told['select = ["LT101"]'] == "lintorch.toml"
    assert told["opset = 13"] == "base.toml"
    assert told['extend-exclude = ["a", "gone", "b"]'] == "base.toml, lintorch.toml, command line"
    assert told['exporters = ["onnx"]'] == "export calls of the project"
    assert told["trial-seconds = 120"] == "default"
    assert told['fail-on = "error"'] == "--config \"fail-on='error'\""
    assert done.stdout.startswith("# export.py and 1 more file: ")
    held = tomllib.loads(done.stdout)
    assert Draft202012Validator(make_schema()).is_valid(held)
    assert run("away.py").returncode == 2


def test_verbose_tells_what_is_done(
    project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    kept = tmp_path_factory.mktemp("kept") / "cache"
    run = partial(lintorch, "check", "-v", "--cache-dir", str(kept), cwd=project)
    first, second = run().stderr, run().stderr
    assert "settings: lintorch.toml (1 file)" in first
    assert f"cache: {kept} (0 known, 1 to be read)" in first
    assert f"cache: {kept} (1 known, 0 to be read)" in second
    assert "cache: not used" in run("--no-cache").stderr
    assert lintorch("clean", "--cache-dir", kept, cwd=project).stdout != "Removed 0 files.\n"
    assert "(0 known, 1 to be read)" in run().stderr
    assert "(1 known" in lintorch("check", "-v", cwd=project, LINTORCH_CACHE_DIR=str(kept)).stderr


def test_what_one_file_answers_is_not_asked_again_when_others_change(tmp_path: Path) -> None:
    head = "import torch\nfrom torch import nn\n\n\n"
    part = "class Part(nn.Module):\n    def forward(self, x):\n        return {'a': x.relu()}\n"
    whole = "from part import Part\n\n\nclass Whole(nn.Module):\n"
    whole += "    def __init__(self):\n        super().__init__()\n        self.part = Part()\n\n"
    whole += "    def forward(self, x):\n        return self.part(x)['a']\n"
    (tmp_path / "part.py").write_text(head + part)
    (tmp_path / "whole.py").write_text(head + whole)
    other = tmp_path / "other.py"
    other.write_text(head + "EYE = torch.eye(3)\n")
    run = partial(lintorch, "check", "-v", "--cache-dir", tmp_path / "kept", cwd=tmp_path)
    assert "(0 known, 3 to be read)" in run().stderr
    other.write_text(head + "EYE = torch.eye(4)\n")
    assert "(2 known, 1 to be read)" in run().stderr
    (tmp_path / "whole.py").write_text(head)
    assert "(1 known, 2 to be read)" in run().stderr


def test_what_is_found_can_be_suppressed_where_it_stands(project: Path) -> None:
    net = project / "net.py"
    net.write_bytes(BAKED.replace("\n", "\r\n").encode())
    run = partial(lintorch, "check", "--add-ignore", cwd=project)
    assert run().stdout == "Added 1 suppression in 1 file.\n"
    line = "        return x.view(int(x.size(0)), -1)"
    marked = BAKED.replace(line, f"{line}  # lintorch: ignore[LT101]")
    assert net.read_bytes().decode() == marked.replace("\n", "\r\n")
    assert codes(cwd=project) == []
    assert run().stdout == "Added 0 suppressions in 0 files.\n"
    net.write_bytes(b"\0")
    assert "net.py:1:1: LT008 cannot be suppressed by a comment" in run().stderr


@pytest.mark.parametrize("options", [("--add-ignore", "--fix"), ("--watch", "-"), ("--add-ignore", "--watch")])  # fmt: skip
def test_options_that_exclude_each_other_are_named(project: Path, options: tuple[str, ...]) -> None:
    done = lintorch("check", *options, cwd=project)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{options[0]} cannot be combined with" in done.stderr


def put_whole(path: Path, text: str) -> None:
    """Write a file in one step, as editors do: emptied first, it may be seen to change twice."""
    beside = path.parent.with_suffix(".new")
    beside.write_text(text)
    beside.replace(path)


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is another signal there")
def test_watching_checks_again_after_a_change_and_ends_cleanly(project: Path) -> None:
    watching = Run(project, "check", "--watch", "--output-format", "concise", "-q")
    out, err = watching.process.stdout, watching.process.stderr
    assert out is not None
    assert err is not None
    assert out.readline().startswith("net.py:7:23: warning LT101")
    assert "waiting for changes" in err.readline()
    put_whole(project / "net.py", f"\n{BAKED}")
    assert err.readline() == "lintorch: changed: net.py\n"
    assert out.readline().startswith("net.py:8:23: warning LT101")
    assert "waiting for changes" in err.readline()
    put_whole(project / "lintorch.toml", 'exclude = ["gone"]\nselect = ["LT5"]\n')
    assert err.readline() == "lintorch: changed: lintorch.toml\n"
    assert "waiting for changes" in err.readline()
    watching.process.send_signal(signal.SIGINT)
    assert watching.process.communicate(timeout=PATIENCE) == ("", "")
    assert watching.process.returncode == 0
    assert watching.others() == []
