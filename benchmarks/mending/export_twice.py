"""Exports of a file's models before and after all its fixes, in a copy of its folder."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from mending.fix_copies import copy_folder
from mending.project_imports import list_imported

EXPORTERS = ("torch.export", "onnx", "onnx-legacy", "torchscript-trace")
_IN_USE = f"exporters={json.dumps(EXPORTERS)}"
_MARK = re.compile(r"  # (?:wrong|refused|ok): .* -> LT.*")
"""What our own tests say of a line: a fix does not go in where it would lose a comment."""
_UNEQUAL = re.compile(r"^  not the same \(.*", re.MULTILINE)


@dataclass(frozen=True)
class Exported:
    """What one exporter made of one model; `codes` are the rules that a wrong or failed one is laid to."""

    model: str
    exporter: str
    status: str
    message: str
    codes: tuple[str, ...]


@dataclass(frozen=True)
class Tried:
    """One file of a folder: its exports before and after, and what was fixed."""

    root: str
    name: str
    before: tuple[Exported, ...]
    after: tuple[Exported, ...]
    offered: tuple[tuple[str, str], ...]
    """Code and remedy of each finding that was left without a fix."""
    unequal: tuple[str, ...]
    """What `--verify` says of fixes after which models compute something else."""
    changed: tuple[str, ...]

    def to_values(self) -> dict[str, Any]:
        """What JSON can hold."""
        return asdict(self)


def export_twice(root: Path, name: str, place: Path, options: Sequence[str] = ()) -> Tried:
    """Export, fix, export, all with these options; the copy is as it was at the end."""
    asked = tuple(options)
    copy = copy_folder(root, place)
    paths = [name, *list_imported(copy, name)]
    for path in paths:
        text = (copy / path).read_bytes().decode("utf-8", "surrogateescape")
        (copy / path).write_bytes(_MARK.sub("", text).encode("utf-8", "surrogateescape"))
    before = _export(copy, name, asked)
    old = {path: (copy / path).read_bytes() for path in paths}
    told, left = _fix(copy, paths, asked)
    changed = tuple(path for path in paths if (copy / path).read_bytes() != old[path])
    after = _export(copy, name, asked) if changed else before
    for path in paths:
        (copy / path).write_bytes(old[path])
    unequal = tuple(line.strip() for line in _UNEQUAL.findall(told))
    return Tried(root.name, name, before, after, left, unequal, changed)


def read_tried(values: Mapping[str, Any]) -> Tried:
    """A file from what `to_values` gave."""
    before, after = ([_read_exported(e) for e in values[when]] for when in ("before", "after"))
    offered = tuple((code, remedy) for code, remedy in values["offered"])
    unequal, changed = tuple(values["unequal"]), tuple(values["changed"])
    root, name = values["root"], values["name"]
    return Tried(root, name, tuple(before), tuple(after), offered, unequal, changed)


def _read_exported(values: Mapping[str, Any]) -> Exported:
    return Exported(**{**values, "codes": tuple(values["codes"])})


def _export(copy: Path, name: str, asked: Sequence[str]) -> tuple[Exported, ...]:
    to = [word for exporter in EXPORTERS for word in ("--to", exporter)]
    done = _run(copy, "export", name, *asked, *to, "--output-format", "json", "-j", "1")
    trials = json.loads(done.stdout)["trials"] if done.stdout.startswith("{") else []
    return tuple(
        Exported(
            each["model"],
            each["exporter"],
            each["status"],
            str(each["message"] or ""),
            tuple(dict.fromkeys(found["code"] for found in each["findings"])),
        )
        for each in trials
    )


def _fix(
    copy: Path, paths: Sequence[str], asked: Sequence[str]
) -> tuple[str, tuple[tuple[str, str], ...]]:
    """What the fixing itself says, and what is left without a fix."""
    alone = () if "--config" in asked else ("--isolated",)
    chosen = (*alone, "--no-cache", "--select", "LT1", "--config", _IN_USE, "-j", "1")
    tried = [word for exporter in EXPORTERS for word in ("--export", exporter)]
    common = (*chosen, "--trace", *asked, *tried)
    report = copy.with_name(f"{copy.name}.left.json")
    report.unlink(missing_ok=True)
    fixing = ("--fix", "--unsafe-fixes", "--verify", "--output-format", "concise")
    told = _run(copy, "check", *paths, *common, *fixing, "--report", f"json={report}")
    if told.returncode > 1 and not report.exists():
        raise SystemExit(told.stderr)
    left = json.loads(report.read_text()) if report.exists() else []
    return told.stdout, tuple((each["code"], each["remedy"] or "") for each in left)


def _run(copy: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "lintorch", *words]
    return subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False)
