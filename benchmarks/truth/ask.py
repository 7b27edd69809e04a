"""Asks lintorch about one labelled model, and keeps what it said."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from truth.labels import Label

_SECONDS = 1800
"""Seconds after which a command is given up."""


@dataclass(frozen=True)
class Asker:
    """Calls lintorch in the folder of a model's repository; `keep` holds answers of earlier calls."""

    repositories: Path
    keep: Path
    options: tuple[str, ...] = ()

    def ask(self, label: Label, command: str, *given: str) -> tuple[Any, float]:
        """What a command says as JSON of the model alone, and the seconds it took; {} where it said nothing."""
        words, kept = self._find_answer(label, command, given)
        if not kept.is_file():
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_text(json.dumps(self._run(label.repository, words)))
        told = json.loads(kept.read_text())
        return told["said"], told["seconds"]

    def has_answer(self, label: Label, command: str, *given: str) -> bool:
        """Whether a command was asked before."""
        return self._find_answer(label, command, given)[1].is_file()

    def _find_answer(
        self, label: Label, command: str, given: Sequence[str]
    ) -> tuple[tuple[str, ...], Path]:
        """A command, and the file that keeps what it said."""
        file = label.file.partition("/")[2]
        words = (command, file, *self._limit_to(command, label), *given, *self.options)
        return words, self.keep / f"{_digest((label.file, *words))}.json"

    def _limit_to(self, command: str, label: Label) -> tuple[str, ...]:
        runs = command != "check"
        return ("--model", label.qualname) if runs else ()

    def _run(self, repository: str, words: Sequence[str]) -> dict[str, Any]:
        started = time.monotonic()
        call = [sys.executable, "-m", "lintorch", *words, "--output-format", "json"]
        try:
            done = subprocess.run(
                call,
                cwd=self.repositories / repository,
                capture_output=True,
                text=True,
                check=False,
                timeout=_SECONDS,
            )
            said = json.loads(done.stdout or "{}")
            noise = done.stderr[-2000:]
        except (subprocess.TimeoutExpired, ValueError) as error:
            said, noise = {}, str(error)
        return {
            "said": said,
            "seconds": round(time.monotonic() - started, 1),
            "words": [repository, *words],
            "stderr": noise,
        }


def _digest(words: Sequence[str]) -> str:
    return hashlib.sha256("\0".join(words).encode()).hexdigest()[:16]
