"""What `lintorch check` says of files from their source alone, asked once for each project and profile."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from truth.statement_rows import StatementRows, read_statement_rows

PROFILES = (
    'exporters = ["torch.export", "onnx", "torchscript-trace", "torchscript-script"]\n',
    'exporters = ["onnx-legacy"]\nopset = 17\n',
)
"""Settings under which each file is checked: the labels' legacy exports are of opset 17, the others' of none."""
_HARMLESS = ("right", "noisy")
_SECONDS = 1800


@dataclass(frozen=True)
class SourceFinding:
    """A finding with the rows of the statements that it stands in.

    `harm` has, in the words of the JSON report, the exporters under which the line fails or
    computes other numbers; needless warnings are none.
    """

    code: str
    file: str
    rows: frozenset[int]
    message: str
    harm: Mapping[str, str]

    @property
    def place(self) -> str:
        """`file:row`, of the first row."""
        return f"{self.file}:{min(self.rows)}"


class _Project(NamedTuple):
    """A folder to check from, and what labels write before the files in there."""

    folder: Path
    prefix: str


@dataclass(frozen=True)
class CheckedSources:
    """By file what was found in it and the rows of its statements, and the seconds that took."""

    findings: Mapping[str, tuple[SourceFinding, ...]]
    statements: Mapping[str, StatementRows]
    seconds: float


def check_sources(files: Iterable[str], folders: tuple[Path, ...], keep: Path) -> CheckedSources:
    """Check files that lie below one of the folders, each project from its own folder."""
    projects: dict[_Project, set[str]] = defaultdict(set)
    found: dict[str, list[SourceFinding]] = defaultdict(list)
    statements: dict[str, StatementRows] = {}
    for file in sorted({*files}):
        for folder in [each for each in folders if (each / file).is_file()][:1]:
            projects[_find_project(folder, file)].add(file)
            statements[file] = read_statement_rows(folder / file)
    seconds = 0.0
    for project, its_files in sorted(projects.items()):
        for profile in PROFILES:
            told = _ask_once(project, sorted(its_files), profile, keep)
            seconds += told["seconds"]
            for each in _read_findings(told["said"], project, statements):
                found[each.file].append(each)
    return CheckedSources({name: tuple(each) for name, each in found.items()}, statements, seconds)


def _find_project(folder: Path, file: str) -> _Project:
    """A repository is unpacked as OWNER+NAME; packages lie side by side, and are checked from there."""
    first = file.partition("/")[0]
    return _Project(folder / first, f"{first}/") if "+" in first else _Project(folder, "")


def _ask_once(project: _Project, files: list[str], profile: str, keep: Path) -> dict[str, Any]:
    digest = hashlib.sha256("\0".join((profile, *files)).encode()).hexdigest()[:16]
    kept = keep / f"source-{digest}.json"
    if not kept.is_file():
        keep.mkdir(parents=True, exist_ok=True)
        settings = keep / f"settings-{digest}.toml"
        settings.write_text(profile)
        words = [each.removeprefix(project.prefix) for each in files]
        kept.write_text(json.dumps(_run_check(project.folder, words, settings)))
    answer: dict[str, Any] = json.loads(kept.read_text())
    return answer


def _run_check(folder: Path, files: list[str], settings: Path) -> dict[str, Any]:
    started = time.monotonic()
    options = ["--config", str(settings.resolve()), "--output-format", "json", "--no-cache"]
    done = subprocess.run(
        [sys.executable, "-m", "lintorch", "check", *files, *options, "--exit-zero"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=_SECONDS,
    )
    if done.returncode:
        raise SystemExit(f"lintorch failed in {folder}:\n{done.stderr}")
    return {"said": json.loads(done.stdout), "seconds": round(time.monotonic() - started, 1)}


def _read_findings(
    said: Iterable[Mapping[str, Any]], project: _Project, statements: Mapping[str, StatementRows]
) -> Iterator[SourceFinding]:
    for each in said:
        file = project.prefix + each["filename"]
        harm = {name: word for name, word in each["exporters"].items() if word not in _HARMLESS}
        for place in (each, *each.get("also", ())):
            rows = statements[file].widen(place["location"]["row"], place["end_location"]["row"])
            yield SourceFinding(each["code"], file, rows, each["message"], harm)
