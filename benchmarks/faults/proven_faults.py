"""Has the worker's interpreter prove faults of labelled models, and keeps what it found."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from faults.candidate_edits import CandidateEdit

LIMITS = {"wanted": 2, "tries": 14, "seconds": 60}
"""Faults wanted of a model, edits tried for these, and the seconds that one run may take."""
_TEXTS = (".py", ".yaml", ".yml", ".json", ".txt", ".cfg", ".toml", ".md")
_LARGEST_TEXT = 2**20
_BENCHMARKS = str(Path(__file__).parent.parent.resolve())


@dataclass(frozen=True)
class ProvenFault:
    """An edit of a file, and the shape error that its model raises with it and not without."""

    model: str
    files: tuple[str, ...]
    file: str
    edit: CandidateEdit
    error: str
    sized: bool
    """Whether the model is fed one height, width or length alone, on which the fault may hang."""


@dataclass(frozen=True)
class ProvenModel:
    """A model that was run: the files it executes, its faults, or why it did not run."""

    model: str
    files: tuple[str, ...]
    cause: str
    faults: tuple[ProvenFault, ...]


@dataclass(frozen=True)
class Prover:
    """Proves the faults of one model after the other, at most `models` of a repository."""

    repositories: Path
    keep: Path
    python: str
    seed: int
    models: int
    largest: int
    """Parameters of the largest model that is tried."""

    def prove(self, truth: Path) -> Iterator[ProvenModel]:
        """The models of repositories, in the order of the labels."""
        tried: Counter[str] = Counter()
        for line in truth.read_text(encoding="utf-8").splitlines():
            label = json.loads(line)
            repository = label["exec_files"][0].partition("/")[0]
            if tried[repository] < self.models and self._can_try(label):
                tried[repository] += 1
                yield self._read_answer(label, self._answer_once(label))

    def _can_try(self, label: Mapping[str, Any]) -> bool:
        files = _list_own_files(label)
        there = all((self.repositories / file).is_file() for file in files)
        return bool(files) and there and label["params"] <= self.largest

    def _answer_once(self, label: Mapping[str, Any]) -> dict[str, Any]:
        words = (label["id"], label["builder"], str(self.seed), str(LIMITS))
        digest = hashlib.sha256("\0".join(words).encode()).hexdigest()[:16]
        kept = self.keep / f"proved-{digest}.json"
        if not kept.is_file():
            self.keep.mkdir(parents=True, exist_ok=True)
            kept.write_text(json.dumps(self._run_prover(label), indent=1))
        answer: dict[str, Any] = json.loads(kept.read_text())
        return answer

    def _run_prover(self, label: Mapping[str, Any]) -> dict[str, Any]:
        files = _list_own_files(label)
        with tempfile.TemporaryDirectory() as folder:
            copies = Path(folder).resolve() / "R"
            copy_repository(self.repositories, copies, files[0].partition("/")[0])
            job = {
                "name": label["id"],
                "repositories": str(copies),
                "files": files,
                "builder": label["builder"],
                "inputs": label["inputs"],
                "sizes": [label["dims"], {**label["dims"], **label["dims2"]}],
                "seed": self.seed,
                **LIMITS,
            }
            asked, told = Path(folder, "job.json"), Path(folder, "answer.json")
            asked.write_text(json.dumps(job))
            done = subprocess.run(
                [self.python, "-B", "-m", "faults.prove_model", str(asked), str(told)],
                env={**os.environ, "PYTHONPATH": _BENCHMARKS},
                capture_output=True,
                text=True,
                check=False,
                cwd=folder,
            )
            if not told.is_file():
                return {"cause": done.stderr[-500:] or "stopped", "faults": []}
            answer: dict[str, Any] = json.loads(told.read_text())
            return answer

    def _read_answer(self, label: Mapping[str, Any], answer: Mapping[str, Any]) -> ProvenModel:
        files = tuple(_list_own_files(label))
        faults = []
        for each in answer["faults"]:
            fields = {name: each[name] for name in CandidateEdit.__dataclass_fields__}
            edit = CandidateEdit(**fields)
            told = each["file"], edit, each["error"], _is_sized(label)
            faults.append(ProvenFault(label["id"], files, *told))
        return ProvenModel(label["id"], files, answer["cause"], tuple(faults))


def copy_repository(repositories: Path, copies: Path, name: str) -> None:
    """The texts of a repository, without what is large."""

    def leave_out(folder: str, names: list[str]) -> list[str]:
        return [each for each in names if not _is_copied(Path(folder, each))]

    shutil.copytree(repositories / name, copies / name, ignore=leave_out)


def _is_copied(path: Path) -> bool:
    if path.is_dir():
        return path.name not in (".git", "__pycache__") and not path.is_symlink()
    return path.suffix in _TEXTS and path.stat().st_size <= _LARGEST_TEXT


def _list_own_files(label: Mapping[str, Any]) -> list[str]:
    """The executed files that lie in a repository, not in a package."""
    return [file for file in label["exec_files"] if "+" in file.partition("/")[0]]


def _is_sized(label: Mapping[str, Any]) -> bool:
    first, second = label["dims"], label["dims2"]
    return all(second.get(name, first[name]) == first[name] for name in first if name not in "BN")
