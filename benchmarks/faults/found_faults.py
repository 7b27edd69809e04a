"""Whether `lintorch check` finds proven faults, and what it says of the files without them."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from faults.proven_faults import ProvenFault

SHAPE_CODES = ("LT8",)
"""What the codes of rules begin with that speak of shapes."""


@dataclass(frozen=True)
class ShapeFinding:
    """A finding of such a rule."""

    code: str
    file: str
    row: int
    severity: str
    message: str


@dataclass(frozen=True)
class CheckedFault:
    """What a fault added to the findings of its project's files, and the seconds of that check."""

    fault: ProvenFault
    added: tuple[ShapeFinding, ...]
    seconds: float

    @property
    def found(self) -> bool:
        """Whether anything was added in the faulty file, or in another that the model executes."""
        return bool(self.added)

    @property
    def at_line(self) -> bool:
        """Whether it was added at the edited row."""
        edited = self.fault.file, self.fault.edit.row
        return any((each.file, each.row) == edited for each in self.added)


def check_originals(copies: Path, files: Sequence[str]) -> tuple[list[ShapeFinding], float]:
    """What is said of files as they are, and the seconds."""
    started = time.monotonic()
    repository = files[0].partition("/")[0]
    words = [each.partition("/")[2] for each in files]
    options = ["--output-format", "json", "--no-cache", "--exit-zero"]
    done = subprocess.run(
        [sys.executable, "-m", "lintorch", "check", *words, *options],
        cwd=copies / repository,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"lintorch failed in {repository}:\n{done.stderr}")
    found = [*_read_shape_findings(json.loads(done.stdout), repository)]
    return found, time.monotonic() - started


def check_fault(copies: Path, fault: ProvenFault, before: Iterable[ShapeFinding]) -> CheckedFault:
    """Check the files with the fault in place, which is taken out again."""
    path = copies / fault.file
    original = path.read_bytes()
    try:
        path.write_text(fault.edit.apply(original.decode()), "utf-8", newline="")
        found, seconds = check_originals(copies, fault.files)
    finally:
        path.write_bytes(original)
    known = {(each.code, each.file, each.row) for each in before}
    added = [each for each in found if (each.code, each.file, each.row) not in known]
    return CheckedFault(fault, tuple(added), seconds)


def _read_shape_findings(said: Iterable[dict[str, Any]], repository: str) -> Iterable[ShapeFinding]:
    for each in said:
        if each["code"].startswith(SHAPE_CODES):
            file = f"{repository}/{each['filename']}"
            for place in (each, *each["also"]):
                row = place["location"]["row"]
                yield ShapeFinding(each["code"], file, row, each["severity"], each["message"])
