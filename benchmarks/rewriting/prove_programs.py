"""Runs programs and their proofs, each in a fork of a process that has imported torch and exporters.

A line of standard input is a program as JSON: `modules` (texts by name), `imports` (lines that run
ahead of the proof) and `proof`; `seconds` it may take. A line of standard output says what was
raised. A line with `signatures` asks for the parameters of callables by name instead. With
`--bare` exporters are imported by the programs that want them.
"""

from __future__ import annotations

import builtins
import importlib
import json
import os
import signal
import sys
import tempfile
import types
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[2] / "tests")]

import torch  # noqa: E402
from warm.server import prepare_models  # noqa: E402

from rewriting.program import MAIN  # noqa: E402
from rewriting.torch_signatures import read_signature  # noqa: E402


def main() -> None:
    """Answer until the input ends."""
    if "--bare" not in sys.argv:
        prepare_models()
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    for line in sys.stdin:
        asked = json.loads(line)
        said = (
            {name: read_signature(name) for name in asked["signatures"]}
            if "signatures" in asked
            else prove(asked)
        )
        print(json.dumps(said), file=answers, flush=True)


def prove(asked: dict[str, Any]) -> dict[str, str]:
    """How a program and its proof end: `raised` is "" if well, else a class's name or "timeout"."""
    reading, writing = os.pipe()
    with tempfile.TemporaryDirectory() as folder:
        child = os.fork()
        if child == 0:
            os.close(reading)
            os.write(writing, json.dumps(run_alone(asked, Path(folder))).encode()[:60_000])
            os._exit(0)
        os.close(writing)
        os.waitpid(child, 0)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child, signal.SIGKILL)  # what it started, and would hold the pipe open
        with os.fdopen(reading, "rb") as answer:
            told = answer.read()
    return dict(json.loads(told)) if told else {"raised": "died", "message": ""}


def run_alone(asked: dict[str, Any], folder: Path) -> dict[str, str]:
    """Run a program in this process, which ends after it."""
    os.setsid()
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(asked["seconds"])
    for stream in (0, 2):
        os.dup2(os.open(os.devnull, os.O_RDWR), stream)
    os.chdir(folder)
    for name, text in asked["modules"].items():
        folder.joinpath(f"{name}.py").write_text(text, encoding="utf-8")
    sys.path.insert(0, str(folder))
    sys.argv[:] = [f"{MAIN}.py"]
    for name in asked["modules"]:
        sys.modules.pop(name, None)
    try:
        run_proof(asked)
    except BaseException as error:
        return {"raised": type(error).__name__, "message": str(error)[:500]}
    return {"raised": "", "message": ""}


def run_proof(asked: dict[str, Any]) -> None:
    """Raises whatever goes wrong; warnings are raised, too."""
    warnings.simplefilter("error")
    torch.manual_seed(0)
    names = vars(importlib.import_module(MAIN))
    proof = types.ModuleType("proof")
    sys.modules["proof"] = proof
    space = vars(proof)
    space.update({name: value for name, value in names.items() if not hasattr(builtins, name)})
    space.update(__name__="proof", torch=torch, warnings=warnings)
    exec(asked["imports"], space)
    exec(compile(asked["proof"], "proof.py", "exec"), space)


if __name__ == "__main__":
    main()
