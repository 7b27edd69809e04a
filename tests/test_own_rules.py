"""`lintorch test-rules`: rules of somebody's own, held to their examples."""

from __future__ import annotations

from pathlib import Path

import pytest
from running import interpreter, lintorch

RULE = '''"""XY001: exp, which overflows."""

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit
from lintorch.core.rule import Rule
from lintorch.source import Source

rule = Rule(
    __name__,
    code="XY001",
    summary="exp",
    why="It overflows.",
    bad="""
        import torch


        def grow(x):
            return torch.exp(x)
    """,
    good="""
        import torch


        def grow(x):
            return torch.expm1(x)
    """,
    proof="""
        assert grow(torch.zeros(1)) == 0
    """,
    fix=Applicability.SAFE,
)


@rule.source(cst.Call, needs=("exp",))
def in_call(call: cst.Call, source: Source) -> Iterator[Hit]:
    if source.name(call.func) == "torch.exp":
        edit = source.replace(call.func, "torch.expm1")
        yield Hit(call, "overflows", Fix("use expm1", (edit,)))
'''
CASE = "import torch\n\na = torch.exp(1)  # hit\nb = torch.log(1)\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine" / "_cases").mkdir(parents=True)
    (tmp_path / "mine" / "overflow.py").write_text(RULE)
    (tmp_path / "mine" / "_cases" / "overflow_calls.py").write_text(CASE)
    return tmp_path


def tell(folder: Path, *options: str) -> tuple[int, str]:
    done = lintorch("test-rules", "mine", *(options or ("--no-proofs",)), cwd=folder)
    return done.returncode, done.stdout + done.stderr


def test_a_rule_that_holds_what_it_says(folder: Path) -> None:
    code, told = tell(folder, "--python", interpreter())
    assert "ok    XY001 overflow: bad, good, fix, _cases/overflow_calls.py, proof\n" in told
    assert (code, told.splitlines()[-1]) == (0, "1 of 1 rules hold what they say")


@pytest.mark.parametrize("selector", ["XY001", "xy001", "overflow"])
def test_a_rule_is_selected_by_whatever_code_it_has(folder: Path, selector: str) -> None:
    (folder / "net.py").write_text("import torch\n\na = torch.exp(1)\n")
    asked = ("check", "net.py", "--rules", "mine", "--isolated", "--select", selector)
    assert "XY001" in lintorch(*asked, cwd=folder).stdout


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('== "torch.exp"', '== "torch.exp2"', "bad: nothing is found in it"),
        ('== "torch.exp"', 'in ("torch.exp", "torch.expm1")', "good: row 5: XY001 overflows"),
        ('"torch.expm1")', '"torch.exp2")', "fix: what it makes of bad is not good"),
        ("fix=Applicability.SAFE", "fix=Applicability.UNSAFE", "fix: the rule promises unsafe"),
    ],
)
def test_what_a_rule_does_not_hold_is_told(folder: Path, old: str, new: str, told: str) -> None:
    assert RULE.count(old) == 1
    (folder / "mine" / "overflow.py").write_text(RULE.replace(old, new))
    code, shown = tell(folder)
    assert code == 1
    assert told in shown
    assert "0 of 1 rules hold what they say" in shown


def test_marks_that_do_not_hold_are_told(folder: Path) -> None:
    moved = CASE.replace("  # hit", "").replace("log(1)", "log(1)  # hit")
    (folder / "mine" / "_cases" / "overflow_calls.py").write_text(moved)
    code, told = tell(folder)
    assert code == 1
    assert "overflow_calls.py:4: is marked, and not found" in told
    assert "overflow_calls.py:3: is found, and not marked" in told


@pytest.mark.parametrize(
    ("proof", "told"),
    [("pass", "proof: runs through after bad"), ("assert False", "goes wrong after good")],
)
def test_a_proof_that_does_not_hold_is_told(folder: Path, proof: str, told: str) -> None:
    text = RULE.replace("assert grow(torch.zeros(1)) == 0", proof)
    (folder / "mine" / "overflow.py").write_text(text)
    code, shown = tell(folder, "--python", interpreter())
    assert code == 1
    assert told in shown


def test_a_folder_without_rules_is_told(folder: Path) -> None:
    (folder / "mine" / "overflow.py").unlink()
    assert tell(folder) == (2, "lintorch: mine: no rules with detectors are in it\n")
    (folder / "mine" / "broken.py").write_text("1 +\n")
    code, told = tell(folder)
    assert code == 2
    assert "broken.py: SyntaxError" in told
