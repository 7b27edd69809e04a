"""A signal ends lintorch and all that it started, and leaves every file whole and no folder behind."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from running import CHECKOUT
from watched import PATIENCE, Run, hear, listens, wait_for

fcntl = pytest.importorskip("fcntl")
termios = pytest.importorskip("termios")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
SLOW = """
import subprocess

from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)

    def forward(self, x):
        subprocess.Popen(["sleep", "653"], start_new_session=True)
        subprocess.run(["sleep", "659"])
        return self.conv(x)
"""
RETIRED = "import torch\n\n\ndef whiten(cov):\n    return torch.cholesky(cov)\n"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("SIGTERM", ("check", "--trace", "--no-cache")),
        ("SIGHUP", ("models",)),
        ("SIGQUIT", ("export", "--to", "torch.export", "--output", "out", "-j", "2")),
    ],
)
def test_a_signal_ends_the_models_and_leaves_nothing(
    tmp_path: Path, name: str, arguments: tuple[str, ...]
) -> None:
    tmp_path.joinpath("slow.py").write_text(SLOW)
    tmp_path.joinpath("too.py").write_text(SLOW)
    run = Run(tmp_path, *arguments)
    run.until(lambda: {"sleep 653", "sleep 659"} <= set(run.others()))
    assert [*run.temporary.iterdir()]
    status, out, err = run.end(getattr(signal, name))
    assert (status, out) == (128 + getattr(signal, name), "")
    assert err == "lintorch: stopped; no file is half written\n"
    assert not [*run.temporary.iterdir()]
    assert {path.name for path in tmp_path.iterdir()} == {"slow.py", "too.py", "temporary"}


def test_a_terminal_that_goes_ends_the_models_too(tmp_path: Path) -> None:
    tmp_path.joinpath("slow.py").write_text(SLOW)
    ours, theirs = os.openpty()

    def at_terminal() -> None:
        hear()
        os.setsid()
        fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)

    run = Run(tmp_path, "models", stderr=theirs, preexec_fn=at_terminal)
    os.close(theirs)
    run.until(lambda: {"sleep 653", "sleep 659"} <= set(run.others()))
    os.close(ours)
    assert run.process.wait(PATIENCE) == 128 + signal.SIGHUP
    wait_for(lambda: not run.others())
    assert not [*run.temporary.iterdir()]


def test_models_end_with_a_run_that_was_killed_and_their_folders_are_removed(
    tmp_path: Path,
) -> None:
    tmp_path.joinpath("slow.py").write_text(SLOW)
    run = Run(tmp_path, "export", "--to", "torch.export", "--output", "out")
    run.until(lambda: {"sleep 653", "sleep 659"} <= set(run.others()))
    assert run.end(signal.SIGKILL)[0] == -signal.SIGKILL
    assert not [*run.temporary.iterdir()]
    assert not [*tmp_path.joinpath("out").iterdir()]


@pytest.mark.parametrize("name", ["SIGTERM", "SIGKILL"])
def test_the_processes_that_read_files_end_with_the_first(tmp_path: Path, name: str) -> None:
    for number in range(60):
        lines = "".join(f"def f{n}(x):\n    return torch.relu(x)\n\n\n" for n in range(1500))
        tmp_path.joinpath(f"long{number}.py").write_text(f"import torch\n\n\n{lines}")
    run = Run(tmp_path, "check", "-j", "2", "--no-cache")
    run.until(lambda: len(run.others()) >= 2)
    number = getattr(signal, name)
    status, out, err = run.end(number)
    assert (status, out) == (-number if name == "SIGKILL" else 128 + number, "")
    assert err in ("", "lintorch: stopped; no file is half written\n")


def test_files_are_whole_where_a_signal_ends_a_fix(tmp_path: Path) -> None:
    files = [tmp_path / f"file{number:03}.py" for number in range(300)]
    for file in files:
        file.write_text(RETIRED)
    fixing = ("--fix", "--extend-select", "advice", "--no-cache", "--exit-zero")
    run = Run(tmp_path, "check", *fixing)
    wait_for(lambda: run.process.poll() is not None or files[0].read_text() != RETIRED)
    status, _, _ = run.end(signal.SIGTERM)
    mended = RETIRED.replace("torch.cholesky", "torch.linalg.cholesky")
    texts = [file.read_text() for file in files]
    assert set(texts) <= {RETIRED, mended}
    assert mended in texts
    assert status == (128 + signal.SIGTERM if RETIRED in texts else status)
    assert {path.name for path in tmp_path.iterdir()} == {f.name for f in files} | {"temporary"}


def test_what_must_be_whole_comes_to_its_end_before_a_signal_is_heeded() -> None:
    program = (
        "import os, signal\n"
        "from lintorch.machine.stopping import Stopped, defer_signals, stop_at_signals\n"
        "try:\n    with stop_at_signals():\n        with defer_signals():\n"
        "            os.kill(os.getpid(), signal.SIGTERM)\n            print('whole')\n"
        "        print('never')\n"
        "except Stopped as stop:\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n    print(stop, stop.exit_code)\n"
    )
    command = [sys.executable, "-c", program]
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, preexec_fn=hear)
    assert (done.stdout, done.stderr) == ("whole\nSIGTERM 143\n", "")


def test_a_signal_that_was_ignored_stays_ignored(tmp_path: Path) -> None:
    def without_terminal() -> None:
        hear()
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    run = Run(tmp_path, "check", "-", "--output-format", "json", preexec_fn=without_terminal)
    run.until(lambda: listens(run.process, signal.SIGTERM))
    assert not listens(run.process, signal.SIGHUP)
    run.process.send_signal(signal.SIGHUP)
    out, err = run.process.communicate("import torch\n", timeout=PATIENCE)
    assert (run.process.returncode, out.strip(), err) == (0, "[]", "")


@pytest.mark.parametrize("arguments", [("rules",), ("check", "--no-cache")])
def test_an_output_that_is_full_is_told_in_a_line(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    tmp_path.joinpath("file.py").write_text(RETIRED)
    with open("/dev/full", "w") as full:
        run = Run(tmp_path, *arguments, stdout=full)
    _, err = run.process.communicate(timeout=PATIENCE)
    assert run.process.returncode == 2
    assert re.fullmatch("lintorch: .*No space left on device\n", err)


@pytest.mark.parametrize("count", [1, 400])
def test_an_output_that_nobody_reads_ends_quietly(tmp_path: Path, count: int) -> None:
    for number in range(count):
        tmp_path.joinpath(f"file{number}.py").write_text(RETIRED)
    reading, writing = os.pipe()
    run = Run(tmp_path, "check", "--no-cache", "-j", "1", stdout=writing)
    os.close(writing)
    os.close(reading)
    _, err = run.process.communicate(timeout=PATIENCE)
    assert (run.process.returncode, err) == (128 + signal.SIGPIPE, "")
