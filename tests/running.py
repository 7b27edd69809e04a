"""Runs lintorch as its users do: in a process of its own.

On Linux that is a fork of a process which has loaded the parser and the rules, and the interpreter
that models are run with is a fork of one which has imported torch (see `warm/`): each is started
once for all tests of a process. What starts with an interpreter of its own is left to `watched`.
"""

from __future__ import annotations

import atexit
import functools
import json
import os
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from warm.front import run_warm

CHECKOUT = Path(__file__).parent.parent
HOME = tempfile.mkdtemp(prefix="lintorch-tests-")
"""Where the runs find the user's settings, and keep their cache."""
OWN = dict.fromkeys(("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "APPDATA", "LOCALAPPDATA"), HOME)
COLD = {"VIRTUAL_ENV": sys.prefix}
"""For `lintorch(...)`: models run as users run them, with an interpreter that starts anew."""
atexit.register(shutil.rmtree, HOME, ignore_errors=True)
_WARM = Path(__file__).parent / "warm"
_CAN_BE_WARM = sys.platform == "linux"
_AS_WORKERS_HAVE_IT = {
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}
"""What an interpreter, and torch, read when they start."""


def lintorch(
    *arguments: object, cwd: Path, stdin: str | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run the command line of this checkout in a folder."""
    command = ["-m", "lintorch", *map(str, arguments)]
    given = {
        **os.environ,
        "PYTHONPATH": str(CHECKOUT),
        **OWN,
        "VIRTUAL_ENV": str(warm_environment()),
        **environment,
    }
    if _CAN_BE_WARM and not any(name.startswith("PYTHON") for name in environment):
        return run(_listening("commands"), command, cwd, given, stdin)
    return subprocess.run(
        [sys.executable, *command],
        cwd=cwd,
        input=stdin,
        env=given,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )


def run(
    server: str, command: list[str], cwd: Path, environment: dict[str, str], stdin: str | None
) -> subprocess.CompletedProcess[str]:
    """As `subprocess.run` of an interpreter with its output captured, by a fork of a warm one."""
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8", newline="") as given,
        tempfile.TemporaryFile("w+", encoding="utf-8") as out,
        tempfile.TemporaryFile("w+", encoding="utf-8") as err,
    ):
        given.write(stdin or "")
        given.seek(0)
        streams = [stream.fileno() for stream in (given, out, err)]
        status = run_warm(server, command, str(cwd), environment, streams)
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(command, status, out.read(), err.read())


def findings(*arguments: object, cwd: Path) -> list[dict[str, Any]]:
    """What `lintorch check` finds, as its JSON says it."""
    done = lintorch("check", "--output-format", "json", *arguments, cwd=cwd)
    assert done.returncode in (0, 1), done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def codes(*arguments: object, cwd: Path) -> list[str]:
    """The codes of what is found, in order."""
    return [finding["code"] for finding in findings(*arguments, cwd=cwd)]


def interpreter() -> str:
    """One that has imported torch and what exports need; it starts in a moment."""
    return str(warm_environment() / "bin" / "python")


@functools.cache
def warm_environment() -> Path:
    """A folder laid out as a virtual environment, whose interpreter is warm where that can be."""
    if not _CAN_BE_WARM:
        return Path(sys.prefix)
    program = Path(HOME, "warm", "bin", "python")
    program.parent.mkdir(parents=True)
    command = [sys.executable, "-IS", str(_WARM / "front.py"), _listening("models")]
    program.write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n')
    program.chmod(0o755)
    return program.parent.parent


@functools.cache
def _listening(preparation: str) -> str:
    """Where the process with this preparation listens; it ends with this one."""
    path = str(Path(HOME, preparation))
    environment = {**os.environ, **OWN, "PYTHONPATH": str(CHECKOUT)}
    if preparation == "models":
        environment = {**os.environ, **_AS_WORKERS_HAVE_IT, "PYTHONPATH": ""}
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen(64)
        server = subprocess.Popen(
            [sys.executable, str(_WARM / "server.py"), str(listener.fileno()), preparation],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            env=environment,
            pass_fds=[listener.fileno()],
        )
    assert server.stdin is not None
    atexit.register(server.stdin.close)
    return path
