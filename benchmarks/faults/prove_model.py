"""Finds edits of one model's files that make it raise a shape error: run by the worker's interpreter.

    python -B -m faults.prove_model JOB ANSWER

An edit may leave size and time of a file as they were: `-B` keeps what was compiled from being taken
for it.

JOB is JSON: the fields of a `LabelledBuild`, whose repository is a copy that may be written to, and
`seed`, `wanted`, `tries` and `seconds` for one run. ANSWER will be: `ran`, the shapes that the model
gives, or '' with the `cause`; and `faults`, each an edit with its `file` and the `error` that it raises.
"""

from __future__ import annotations

import importlib
import json
import os
import random
import signal
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from types import FrameType
from typing import Any

from faults.builder_runs import LabelledBuild, name_shape_error, run_model
from faults.candidate_edits import CandidateEdit, list_candidates, list_classes

_MOST_OF_KIND = 1
_OFTEN_IMPORTED = ("torchvision", "einops", "timm")


def main() -> None:
    """Write the answer."""
    job = json.loads(Path(sys.argv[1]).read_text())
    limits = {name: job.pop(name) for name in ("seed", "wanted", "tries", "seconds")}
    build = LabelledBuild(**job)
    _import_beforehand(build)
    first = _run_apart(lambda: _run_watched(build), 2 * limits["seconds"])
    answer = {"ran": first.get("ran", ""), "cause": first.get("cause", ""), "faults": []}
    if answer["ran"]:
        answer["faults"] = _prove_faults(build, first["rows"], answer["ran"], limits)
    Path(sys.argv[2]).write_text(json.dumps(answer, indent=1))


def _import_beforehand(build: LabelledBuild) -> None:
    """What the builder imports is imported once, for all runs."""
    texts = [Path(build.repositories, file).read_text("utf-8") for file in build.files]
    for name in _OFTEN_IMPORTED:
        if any(name in text for text in (build.builder, *texts)):
            with suppress(Exception):
                importlib.import_module(name)


def _prove_faults(
    build: LabelledBuild, rows: dict[str, list[int]], ran: str, limits: dict[str, Any]
) -> list[dict[str, Any]]:
    candidates = _order_candidates(build, rows, random.Random(limits["seed"]))
    proved: list[dict[str, Any]] = []
    for file, edit in candidates[: limits["tries"]]:
        kinds = [each["kind"] for each in proved]
        if len(proved) == limits["wanted"]:
            break
        if kinds.count(edit.kind) < _MOST_OF_KIND:
            error = _try_edit(build, file, edit, limits["seconds"])
            if error:
                proved.append({"file": file, **asdict(edit), "error": error})
    again = _run_apart(lambda: {"ran": run_model(build)}, limits["seconds"])
    return proved if again.get("ran") == ran else []


def _order_candidates(
    build: LabelledBuild, rows: dict[str, list[int]], chance: random.Random
) -> list[tuple[str, CandidateEdit]]:
    """Edits of rows that run, in an order of chance in which the kinds take turns."""
    texts = {file: Path(build.repositories, file).read_text("utf-8") for file in rows}
    own = frozenset(name for text in texts.values() for name in list_classes(text))
    kinds: dict[str, list[tuple[str, CandidateEdit]]] = {}
    for file in sorted(rows):
        for edit in list_candidates(texts[file], own):
            if edit.row in rows[file]:
                kinds.setdefault(edit.kind, []).append((file, edit))
    for each in kinds.values():
        chance.shuffle(each)
    order = sorted(kinds)
    chance.shuffle(order)
    longest = max(map(len, kinds.values()), default=0)
    return [
        kinds[kind][turn] for turn in range(longest) for kind in order if turn < len(kinds[kind])
    ]


def _try_edit(build: LabelledBuild, file: str, edit: CandidateEdit, seconds: int) -> str:
    """The shape error that a model raises with this edit at each of the sizes; '' where it does not."""
    path = Path(build.repositories, file)
    before = path.read_bytes()
    try:
        path.write_text(edit.apply(before.decode()), "utf-8", newline="")
        errors = [_find_error(replace(build, sizes=[sizes]), seconds) for sizes in build.sizes]
    finally:
        path.write_bytes(before)
    return errors[0] if all(errors) else ""


def _find_error(build: LabelledBuild, seconds: int) -> str:
    return str(_run_apart(lambda: {"ran": run_model(build)}, seconds).get("shape_error", ""))


def _run_watched(build: LabelledBuild) -> dict[str, Any]:
    """Also the rows of its files that run while it is built and run."""
    folder = os.path.join(build.repositories, "")
    rows: dict[str, set[int]] = {}

    def watch(frame: FrameType, event: str, argument: Any) -> Any:
        if not frame.f_code.co_filename.startswith(folder):
            return None
        if event == "line":
            file = frame.f_code.co_filename.removeprefix(folder)
            rows.setdefault(file, set()).add(frame.f_lineno)
        return watch

    sys.settrace(watch)
    ran = run_model(build)
    sys.settrace(None)
    return {"ran": ran, "rows": {file: sorted(each) for file, each in rows.items()}}


def _run_apart(work: Callable[[], dict[str, Any]], seconds: int) -> dict[str, Any]:
    """What work gives in a fork of this process, or what it raises; nothing of it stays here."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        signal.alarm(seconds)
        _send(writing, _tell(work))
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as told:
        said = told.read()
    os.waitpid(child, 0)
    return json.loads(said) if said else {"cause": "stopped"}


def _tell(work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    try:
        return work()
    except BaseException as error:
        words = f"{type(error).__name__}: {error}"[:500]
        return {"cause": words, "shape_error": name_shape_error(error)}


def _send(writing: int, said: Iterable[Any]) -> None:
    with os.fdopen(writing, "wb") as out:
        out.write(json.dumps(said).encode())


if __name__ == "__main__":
    main()
