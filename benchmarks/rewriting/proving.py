"""Asks processes with torch how programs and proofs end, and keeps the answers."""

from __future__ import annotations

import hashlib
import json
import queue
import subprocess
import sys
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rewriting.program import MAIN, Parameter, Program, Signatures

_SECONDS = 300
"""Seconds that a program may run."""
_READER = Path(__file__).with_name("torch_signatures.py")
"""What reads signatures: they are read again where it has changed."""


@dataclass(frozen=True)
class Ending:
    """How a program and its proof end: the class of what was raised, "" where all went well."""

    raised: str
    message: str = ""


class Prover:
    """Processes that run programs; answers are kept below a folder by the content of what was asked.

    With `exporters` each process imports these once, which takes some seconds.
    """

    def __init__(self, keep: Path, jobs: int, exporters: bool = True) -> None:
        keep.mkdir(parents=True, exist_ok=True)
        self._file = keep / "answers.jsonl"
        self._kept = _read_answers(self._file)
        self._options = () if exporters else ("--bare",)
        self._lock = threading.Lock()
        self._idle: queue.Queue[subprocess.Popen[str] | None] = queue.Queue()
        for _ in range(jobs):
            self._idle.put(None)

    def prove(self, program: Program, imports: str, seconds: int = _SECONDS) -> Ending:
        """How a program ends, from what is kept where it is there; it "died" where time ran out."""
        modules = {**program.others, MAIN: program.text}
        asked = {"modules": modules, "imports": imports, "proof": program.proof}
        return Ending(**self._answer(asked, seconds=seconds))

    def read_signatures(self, names: Iterable[str]) -> Signatures:
        """The parameters of those of the callables that torch has."""
        known = [each for each in sorted(set(names)) if each.startswith(("torch.", "."))]
        told = self._answer({"signatures": known, "read_by": _READER.read_text("utf-8")})
        return {name: tuple(Parameter(*each) for each in told[name]) for name in known}

    def close(self) -> None:
        """End the processes."""
        while not self._idle.empty():
            process = self._idle.get()
            if process is not None:
                process.kill()
                process.communicate()

    def _answer(self, asked: dict[str, Any], **more: Any) -> Any:
        key = digest({**asked, "torch": version("torch")})
        if key not in self._kept:
            process = self._idle.get()
            try:
                process = process or _start(self._options)
                answer = _ask(process, {**asked, **more})
            finally:
                self._idle.put(process)
            self._keep(key, answer)
        return self._kept[key]

    def _keep(self, key: str, answer: Any) -> None:
        with self._lock, self._file.open("a", encoding="utf-8") as file:
            self._kept[key] = answer
            if answer.get("raised") != "died":
                file.write(json.dumps([key, answer]) + "\n")


def digest(content: Any) -> str:
    """A name for content."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:24]


def _read_answers(file: Path) -> dict[str, Any]:
    lines: Sequence[str] = file.read_text("utf-8").splitlines() if file.is_file() else ()
    return dict(json.loads(line) for line in lines if line.endswith("]"))


def _start(options: Sequence[str]) -> subprocess.Popen[str]:
    command = [sys.executable, str(Path(__file__).with_name("prove_programs.py")), *options]
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    )


def _ask(process: subprocess.Popen[str], asked: dict[str, Any]) -> Any:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(asked) + "\n")
    process.stdin.flush()
    return json.loads(process.stdout.readline())
