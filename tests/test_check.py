"""`lintorch check` on files: findings, fixes, settings, exit codes, and input that is broken."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from running import codes, findings, lintorch

BAKED = """import torch


class Net(torch.nn.Module):
    def forward(self, x):
        return x.view(int(x.size(0)), -1)
"""
PLAIN = BAKED.replace("int(x.size(0))", "x.size(0)")
CRASHING = '''"""LT198: a rule that crashes."""

import libcst as cst

from lintorch.core.rule import Rule

rule = Rule(__name__, code="LT198", summary="a crash", why="To see that it takes nothing down.")


@rule.source(cst.ClassDef)
def in_source(node, source):
    raise KeyError("gone")
    yield
'''


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "net.py").write_text(BAKED)
    return tmp_path


def test_a_finding_makes_the_exit_code_1_and_says_where(project: Path) -> None:
    done = lintorch("check", "--output-format", "concise", cwd=project)
    assert done.returncode == 1
    assert "net.py:6:23: warning LT101" in done.stdout


def test_a_clean_file_makes_it_0(project: Path) -> None:
    (project / "net.py").write_text(PLAIN)
    done = lintorch("check", "net.py", cwd=project)
    assert (done.returncode, done.stderr) == (0, "")
    assert "All checks passed!" in done.stdout


SWITCHED = """import torch


def f(a):
    if False:
        a = torch.symeig(a)
    elif True:
        pass
    else:
        a = torch.lstsq(a)
    while 0:
        a = torch.symeig(a)
    return torch.ger(a, a) if a.requires_grad else torch.symeig(a)
"""


def test_what_never_runs_as_it_stands_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(SWITCHED)
    done = lintorch("check", "--output-format=json", "--extend-select=advice", cwd=tmp_path)
    found = json.loads(done.stdout)
    assert {each["location"]["row"] for each in found} == {13}, found


ADVISED = """import torch


def f(a):
    return torch.cholesky(a), torch.symeig(a)
"""


def test_advice_has_to_be_asked_for(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(ADVISED)

    def severities(*options: str) -> list[str]:
        return [found["severity"] for found in findings(*options, cwd=tmp_path)]

    assert severities() == ["error"]
    assert severities("--extend-select", "advice") == ["note", "error"]
    assert severities("--select", "advice") == ["note"]
    assert severities("--select", "advice", "--ignore", "api") == []
    for asked in ("LT601", "LT6", "retired-name", "api", "ALL"):
        assert severities("--select", asked) == ["note", "error"]
        assert severities("--select", asked, "--ignore", "advice")[-1] == "error"
    done = lintorch("check", cwd=tmp_path)
    assert "Found 1 finding (1 error). 1 more with --extend-select advice." in done.stdout


def test_advice_that_is_not_shown_makes_no_finding(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(ADVISED.replace(", torch.symeig(a)", ""))
    done = lintorch("check", "--fix", cwd=tmp_path)
    assert done.returncode == 0
    assert "All checks passed! 1 more with --extend-select advice." in done.stdout
    assert "torch.cholesky(a)" in (tmp_path / "net.py").read_text()
    (tmp_path / "net.py").write_text("import torch\n\n\nf = torch.cholesky  # noqa: LT601\n")
    assert findings(cwd=tmp_path) == []


def test_the_json_contract(project: Path) -> None:
    (found,) = findings(cwd=project)
    assert set(found) == {
        "code", "name", "message", "severity", "evidence", "filename", "cell", "location",
        "end_location", "remedy", "also", "model", "exporters", "sizes", "target", "url", "notes", "fix",
    }  # fmt: skip
    assert found["filename"] == "net.py"
    assert found["location"] == {"row": 6, "column": 23}
    assert found["end_location"] == {"row": 6, "column": 37}
    assert found["evidence"] == "source"
    assert found["exporters"] == {"torch.export": "refused", "onnx": "wrong-with-auto"}
    assert (found["sizes"], found["notes"], found["also"]) == (None, [], [])
    assert found["message"].endswith(f"; {found['remedy']}")
    assert found["fix"]["applicability"] == "safe"


def test_what_a_module_masks_of_its_own_is_in_a_trace(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(
        textwrap.dedent("""
        import torch
        from torch import nn

        class Masked(nn.Conv2d):
            def __init__(self):
                super().__init__(1, 1, 3)
                self.register_buffer("mask", torch.ones(1, 1, 3, 3))

            def forward(self, x):
                self.weight.data *= self.mask
                return super().forward(x)

        class Fading(nn.Conv2d):
            def forward(self, x):
                self.weight.data *= 0.9
                return super().forward(x)
        """)
    )
    used = 'exporters=["torch.export", "torchscript-trace"]'
    told = [
        each["exporters"]["torchscript-trace"]
        for each in findings("--select=LT131", "--config", used, cwd=tmp_path)
    ]
    assert told == ["right", "wrong"]


@pytest.mark.parametrize(("option", "code"), [("--exit-zero", 0), ("--fail-on=error", 0)])
def test_what_counts_as_failure_can_be_set(project: Path, option: str, code: int) -> None:
    assert lintorch("check", option, cwd=project).returncode == code


def test_a_missing_path_is_named_and_the_others_are_checked(project: Path) -> None:
    done = lintorch("check", "gone.py", "net.py", cwd=project)
    assert done.returncode == 2
    assert "gone.py" in done.stderr
    assert "LT101" in done.stdout


def test_what_was_not_checked_is_said_and_nothing_passes_for_it(project: Path) -> None:
    (project / "net.py").write_text(PLAIN)
    gone = lintorch("check", "gone.py", "net.py", cwd=project)
    assert (gone.returncode, gone.stderr) == (2, "lintorch: gone.py: no such file or folder\n")
    assert gone.stdout == "Checked 1 file\nNo findings in what was checked.\n"
    alone = lintorch("check", "gone.py", cwd=project)
    assert (alone.returncode, alone.stdout) == (2, "No Python files checked.\n")


@pytest.mark.parametrize(
    ("name", "text", "cause"),
    [
        ("notes.txt", "hello", "not a Python file"),
        ("README.md", "# torch", "not a Python file"),
        ("run.sh", "#!/bin/sh\ntrue\n", "not a Python file"),
        ("Makefile", "all:\n\ttrue\n", "not a Python file"),
        ("launch", "#!/bin/bash\nx=1\n", "not a Python file"),
    ],
)
def test_a_file_that_is_no_python_is_named_as_not_checked(
    tmp_path: Path, name: str, text: str, cause: str
) -> None:
    (tmp_path / name).write_text(text)
    done = lintorch("check", name, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "No Python files checked.\n")
    assert done.stderr == f"lintorch: {name}: not checked: {cause}\n"


@pytest.mark.parametrize(
    ("name", "first"),
    [("train", ""), ("train", "#!/usr/bin/env python3\n"), ("train.in", "#!/usr/bin/python\n"),
     ("train.pyw", ""), ("stub.pyi", "")],
)  # fmt: skip
def test_python_that_is_given_by_name_is_checked_whatever_its_name(
    tmp_path: Path, name: str, first: str
) -> None:
    (tmp_path / name).write_text(first + BAKED)
    assert codes(name, cwd=tmp_path) == ["LT101"]


@pytest.mark.parametrize("options", [("--output-format", "json"), ("--output-format", "github"),
                                     ("--diff",), ("--output-file", "report.txt")])  # fmt: skip
def test_a_report_without_a_summary_leaves_it_to_standard_error(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    (tmp_path / "excluded.py").write_text(BAKED)
    (tmp_path / "lintorch.toml").write_text('exclude = ["*.py"]\n')
    done = lintorch("check", *options, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "lintorch: no Python files checked\n")
    assert done.stdout == ("[]\n" if "json" in options else "")


def test_a_notebook_from_standard_input_is_not_read(tmp_path: Path) -> None:
    options = ("--stdin-filename", "a.ipynb", "--fix")
    done = lintorch("check", "-", *options, cwd=tmp_path, stdin=BAKED)
    assert (done.returncode, done.stdout) == (0, BAKED)
    assert "a.ipynb: not checked" in done.stderr


@pytest.mark.parametrize("command", ["models", "export"])
def test_commands_that_run_models_say_what_is_none_of_python(tmp_path: Path, command: str) -> None:
    (tmp_path / "nets.txt").write_text("no Python")
    done = lintorch(command, "nets.txt", cwd=tmp_path)
    assert done.returncode == (2 if command == "export" else 0)
    assert "nets.txt: not checked: not a Python file" in done.stderr
    assert "no Python files found" in (done.stdout + done.stderr).replace("No P", "no P")


def test_a_name_cannot_steer_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "lintorch.toml").write_text('"\\u001b[2J" = 1\n')
    done = lintorch("check", cwd=tmp_path)
    assert done.returncode == 2
    assert "\x1b" not in done.stderr


def test_where_there_is_no_file_a_wrong_selection_is_told_all_the_same(tmp_path: Path) -> None:
    done = lintorch("check", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "No Python files checked.\n", "")
    wrong = lintorch("check", "--select", "LT999", cwd=tmp_path)
    assert wrong.returncode == 2
    assert "LT999" in wrong.stderr


@pytest.mark.parametrize(
    ("content", "code", "said"),
    [
        (b"import torch\ndef f(:\n", "LT001", "not valid Python"),
        (b"import torch\ny = x.cuda(async=True)\n", "LT001", "write non_blocking=True"),
        (b"import torch\nprint torch.ones(2)\n", "LT001", "this is Python 2"),
        pytest.param(
            b"import torch\ntype Pair = tuple[torch.Tensor, torch.Tensor]\n",
            "LT001",
            "install lintorch in the Python that the project is for",
            marks=pytest.mark.skipif(sys.version_info >= (3, 12), reason="valid there"),
        ),
        pytest.param(
            b'import torch\nsaid = f"{torch.ones(2)["x"]}"\n',
            "LT001",
            "install lintorch in the Python that the project is for",
            marks=pytest.mark.skipif(sys.version_info >= (3, 12), reason="valid there"),
        ),
        (b"import torch\n# \xff\n", "LT008", "utf-8"),
        (b"# coding: klingon\nimport torch\n", "LT008", "klingon"),
        (b"import torch\0\n", "LT008", "NUL"),
        (b"import torch\nx = " + b"(" * 5000 + b")" * 5000, "LT001", "too many nested"),
        (b"import torch\nx = " + b"1 + " * 5000 + b"1", "LT001", "too deeply"),
        (b"import torch\nx = a" + b".b()" * 1400, "LT001", "too deeply"),
    ],
    ids=[
        "syntax",
        "keyword",
        "python2",
        "newer",
        "quotes",
        "encoding",
        "codec",
        "nul",
        "brackets",
        "sum",
        "chain",
    ],
)
def test_a_broken_file_is_one_finding_and_the_others_are_checked(
    project: Path, content: bytes, code: str, said: str
) -> None:
    (project / "broken.py").write_bytes(content)
    found = findings(cwd=project)
    assert [f["code"] for f in found] == [code, "LT101"]
    assert said in found[0]["message"]


def test_a_rule_that_crashes_is_a_finding_and_the_others_run(project: Path) -> None:
    (project / "own").mkdir()
    (project / "own/crashing.py").write_text(CRASHING)
    (project / "lintorch.toml").write_text('exclude = ["own"]\n')
    found = {f["code"]: f["message"] for f in findings("--rules", "own", cwd=project)}
    assert set(found) == {"LT002", "LT101"}
    assert "LT198" in found["LT002"]
    assert "KeyError" in found["LT002"]


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ('selekt = ["ALL"]', "`select`"),
        ('exporters = ["onix"]', "onix"),
        ('ignore = ["dynamic-sise"]', "dynamic-size"),
        ("select = ", "lintorch.toml"),
    ],
)
def test_wrong_settings_are_named(project: Path, settings: str, named: str) -> None:
    (project / "lintorch.toml").write_text(settings)
    done = lintorch("check", cwd=project)
    assert done.returncode == 2
    assert named in done.stderr
    assert done.stderr.count("\n") == 1


def test_settings_select_rules(project: Path) -> None:
    (project / "pyproject.toml").write_text('[tool.lintorch]\nignore = ["LT1"]\n')
    assert codes(cwd=project) == []
    assert codes("--extend-select", "dynamic-size", cwd=project) == ["LT101"]


def test_a_message_follows_what_the_project_exports_with(project: Path) -> None:
    export = "import torch\nfrom net import Net\n\n\ndef main(x):\n    torch.jit.trace(Net().eval(), x)\n"
    (project / "export.py").write_text(export)
    (project / "setup.py").touch()
    for _ in range(3):  # what was read is kept
        (found,) = findings("net.py", cwd=project)
        assert "torchscript-trace" in found["message"]
        assert "torch.export" not in found["message"]
    (project / "export.py").write_text(export.replace("torch.jit.trace", "torch.export.export"))
    assert codes("net.py", cwd=project) == []  # all sizes are fixed there
    (project / "export.py").unlink()
    (found,) = findings("net.py", cwd=project)
    assert "onnx" in found["message"]


def test_a_suppression_silences_its_line_and_an_idle_one_is_found(project: Path) -> None:
    excused = BAKED.replace("-1)\n", "-1)  # lintorch: ignore[dynamic-size] fixed batch\n")
    (project / "net.py").write_text(excused)
    assert codes(cwd=project) == []
    (project / "net.py").write_text(excused.replace("int(x.size(0))", "x.size(0)"))
    assert codes(cwd=project) == ["LT003"]


def test_a_second_run_heeds_suppressions_too(project: Path) -> None:
    idle = PLAIN.replace("-1)\n", "-1)  # lintorch: ignore[dynamic-size]\n")
    (project / "net.py").write_text(idle)
    assert codes(cwd=project) == codes(cwd=project) == ["LT003"]


def test_fix_mends_the_file(project: Path) -> None:
    done = lintorch("check", "--fix", cwd=project)
    assert done.returncode == 0
    assert "Fixed 1 finding" in done.stdout
    assert (project / "net.py").read_text() == PLAIN


def test_fix_says_what_it_mended_and_machine_formats_do_not(project: Path) -> None:
    net = project / "net.py"
    for form in ("full", "concise", "json", "github"):
        net.write_text(BAKED)
        done = lintorch("check", "--fix", "--output-format", form, cwd=project)
        told = "Fixed net.py: LT101 dynamic-size\n" in done.stdout
        assert (done.returncode, told) == (0, form in ("full", "concise"))
        assert net.read_text() == PLAIN
    assert done.stdout == ""


UNSAFE = """import torch

model = torch.nn.Linear(2, 2)
torch.save(model, "whole.pt")
"""


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ((), "Found 2 findings (2 warnings). [*] 1 fixable with --fix, 1 more with --fix "
             "--unsafe-fixes."),
        (("--unsafe-fixes",), "Found 2 findings (2 warnings). [*] 2 fixable with --fix."),
    ],
)  # fmt: skip
def test_nothing_is_written_without_fix(project: Path, options: tuple[str, ...], line: str) -> None:
    (project / "save.py").write_text(UNSAFE)
    done = lintorch("check", *options, cwd=project)
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == line
    assert (project / "net.py").read_text() == BAKED
    assert (project / "save.py").read_text() == UNSAFE


def test_unsafe_fixes_widen_what_fix_and_diff_do(project: Path) -> None:
    save = project / "save.py"
    save.write_text(UNSAFE)
    assert "state_dict" not in lintorch("check", "--diff", cwd=project).stdout
    assert "state_dict" in lintorch("check", "--diff", "--unsafe-fixes", cwd=project).stdout
    lintorch("check", "--fix", cwd=project)
    assert save.read_text() == UNSAFE
    assert lintorch("check", "--fix", "--unsafe-fixes", cwd=project).returncode == 0
    assert ".state_dict()" in save.read_text()
    text = lintorch("check", "-", "--unsafe-fixes", cwd=project, stdin=UNSAFE)
    assert "whole-model-save" in text.stdout


def test_fix_keeps_newlines_mark_and_mode(project: Path) -> None:
    net = project / "net.py"
    net.write_bytes(b"\xef\xbb\xbf" + BAKED.replace("\n", "\r\n").encode())
    net.chmod(0o750)
    lintorch("check", "--fix", cwd=project)
    assert net.read_bytes() == b"\xef\xbb\xbf" + PLAIN.replace("\n", "\r\n").encode()
    assert net.stat().st_mode & 0o777 == 0o750


def test_diff_shows_a_patch_and_writes_nothing(project: Path) -> None:
    done = lintorch("check", "--diff", cwd=project)
    assert done.returncode == 1
    assert "-        return x.view(int(x.size(0)), -1)" in done.stdout
    assert "+        return x.view(x.size(0), -1)" in done.stdout
    assert (project / "net.py").read_text() == BAKED


def test_a_diff_of_lines_that_no_patch_knows_can_be_applied(project: Path) -> None:
    text = BAKED.replace("import torch\n", 'import torch\n\x0c\nNAMES = "a\u2028b\x1cc"\n\x0c\n', 1)
    (project / "net.py").write_text(text)
    done = lintorch("check", "--diff", "net.py", cwd=project)
    (project / "net.patch").write_text(done.stdout)
    subprocess.run(["git", "apply", "net.patch"], cwd=project, check=True)
    assert (project / "net.py").read_text() == text.replace("int(x.size(0))", "x.size(0)")


def test_an_unfixable_rule_is_left_alone(project: Path) -> None:
    (project / "lintorch.toml").write_text('unfixable = ["dynamic-size"]\n')
    done = lintorch("check", "--fix", cwd=project)
    assert done.returncode == 1
    assert "fixable with" not in done.stdout
    assert (project / "net.py").read_text() == BAKED


def test_standard_input_is_checked_and_fixed(tmp_path: Path) -> None:
    done = lintorch("check", "-", "--stdin-filename", "net.py", cwd=tmp_path, stdin=BAKED)
    assert done.returncode == 1
    assert "net.py:6:23" in done.stdout
    fixed = lintorch("check", "-", "--fix", cwd=tmp_path, stdin=BAKED)
    assert (fixed.returncode, fixed.stdout) == (0, PLAIN)


def test_the_report_can_be_written_to_a_file(project: Path) -> None:
    options = ("--output-format", "json", "--output-file", "report.json")
    done = lintorch("check", *options, cwd=project)
    assert (done.returncode, done.stdout) == (1, "")
    assert json.loads((project / "report.json").read_text())[0]["code"] == "LT101"


def test_the_same_bytes_whatever_the_number_of_processes(tmp_path: Path) -> None:
    for number in range(60):
        (tmp_path / f"net{number}.py").write_text(BAKED.replace("x", f"x{number}"))
    one, two = (lintorch("check", "--no-cache", "-j", jobs, cwd=tmp_path).stdout for jobs in (1, 2))
    assert one == two
    assert one.count("LT101 dynamic-size") == 60


def test_a_second_run_says_the_same(project: Path) -> None:
    first = lintorch("check", cwd=project)
    assert lintorch("check", cwd=project).stdout == first.stdout
    assert [path.name for path in project.iterdir()] == ["net.py"]


def test_a_second_run_sees_that_a_base_class_has_changed(tmp_path: Path) -> None:
    (tmp_path / "base.py").write_text("import torch\n\n\nclass Base(torch.nn.Module):\n    pass\n")
    derived = BAKED.replace("torch.nn.Module", "Base").replace(
        "import torch", "import torch\nfrom base import Base"
    )
    (tmp_path / "net.py").write_text(derived)
    assert codes(cwd=tmp_path) == ["LT101"]
    (tmp_path / "base.py").write_text("import torch\n\n\nclass Base:\n    pass\n")
    assert codes(cwd=tmp_path) == []


def test_a_second_run_sees_that_a_base_class_has_turned_up(tmp_path: Path) -> None:
    derived = BAKED.replace("torch.nn.Module", "Base").replace(
        "import torch", "import torch\nfrom base import Base"
    )
    (tmp_path / "net.py").write_text(derived)
    assert codes(cwd=tmp_path) == []
    (tmp_path / "base.py").write_text("import torch\n\n\nclass Base(torch.nn.Module):\n    pass\n")
    assert codes(cwd=tmp_path) == ["LT101"]


def test_a_rule_has_a_page_and_a_wrong_name_a_hint(tmp_path: Path) -> None:
    done = lintorch("rule", "LT101", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.startswith("# LT101 dynamic-size\n")
    wrong = lintorch("rule", "dynamic-sise", cwd=tmp_path)
    assert wrong.returncode == 2
    assert "did you mean dynamic-size?" in wrong.stderr
