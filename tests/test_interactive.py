"""`check --fix --interactive` on a terminal: what is asked, what goes in, and what stays."""

from __future__ import annotations

import os
import re
import select
import subprocess
import sys
from pathlib import Path

import pytest
from running import CHECKOUT, OWN, lintorch

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no terminal to open")
ASKED = b"Put this fix in?"
TEXT = """import torch


def f(x):
    a = torch.cholesky(x)
    b = torch.ger(x[0], x[1])
    return a, torch.cholesky(b)
"""
COMMAND = (
    "check",
    "--fix",
    "--interactive",
    "--extend-select",
    "LT601",
    "--isolated",
    "--no-cache",
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("one.py", "two.py"):
        (tmp_path / name).write_text(TEXT)
    return tmp_path


def walk(keys: str, folder: Path) -> tuple[str, int]:
    """What is shown where each question is answered by the next key, and the exit code."""
    terminal, slave = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "lintorch", *COMMAND],
        cwd=folder,
        env={**os.environ, **OWN, "PYTHONPATH": str(CHECKOUT), "TERM": "dumb", "NO_COLOR": "1"},
        stdin=slave,
        stdout=slave,
        stderr=slave,
    )
    os.close(slave)
    shown, answered = b"", 0
    while select.select([terminal], [], [], 60)[0]:
        try:
            part = os.read(terminal, 1 << 16)
        except OSError:  # the other end is closed
            break
        shown += part
        if not part:
            break
        if shown.count(ASKED) > answered and shown.endswith(b"] "):
            wait_until_read(terminal)
            os.write(terminal, keys[answered].encode())
            answered += 1
    else:
        process.kill()
    os.close(terminal)
    assert answered == len(keys), shown.decode()
    return re.sub(r"\r+\n", "\n", shown.decode()), process.wait()


def wait_until_read(terminal: int) -> None:
    """What is typed before a key is waited for is thrown away, as by every program that asks so."""
    import termios

    while termios.tcgetattr(terminal)[3] & termios.ICANON:
        select.select([], [], [], 0.01)


def test_each_fix_is_shown_with_its_evidence_and_asked_about(folder: Path) -> None:
    shown, code = walk("y?nq", folder)
    assert "one.py:5:9" in shown
    assert "5 -     a = torch.cholesky(x)\n      +     a = torch.linalg.cholesky(x)" in shown
    assert "evidence: source" in shown
    assert "put in this and all further fixes of this rule" in shown
    assert (folder / "one.py").read_text() == TEXT.replace(
        "torch.cholesky(x)", "torch.linalg.cholesky(x)"
    )
    assert code == 1


def test_a_rule_is_taken_or_skipped_as_a_whole(folder: Path) -> None:
    walk("a", folder)
    assert "torch.ger" not in (folder / "one.py").read_text() + (folder / "two.py").read_text()
    for name in ("one.py", "two.py"):
        (folder / name).write_text(TEXT)
    walk("s", folder)
    assert (folder / "one.py").read_text() == (folder / "two.py").read_text() == TEXT


def test_who_quits_keeps_what_was_chosen_so_far(folder: Path) -> None:
    shown, _ = walk("yq", folder)
    assert (folder / "one.py").read_text() == TEXT.replace(
        "torch.cholesky(x)", "torch.linalg.cholesky(x)"
    )
    assert (folder / "two.py").read_text() == TEXT
    assert "Fixed 1 finding" in shown


def test_ctrl_c_leaves_files_whole(folder: Path) -> None:
    _, code = walk("yyy\x03", folder)
    assert "torch.ger" not in (folder / "one.py").read_text()
    assert (folder / "two.py").read_text() == TEXT
    assert code == 130


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (COMMAND, "asks on a terminal"),
        (("check", "--interactive"), "goes with --fix"),
        (("check", "--interactive", "--fix", "--diff"), "without --diff"),
    ],
)
def test_nobody_is_asked_without_a_terminal(
    folder: Path, options: tuple[str, ...], said: str
) -> None:
    done = lintorch(*options, cwd=folder)
    assert done.returncode == 2
    assert said in done.stderr
    assert (folder / "one.py").read_text() == TEXT
