"""The child's side: loads one file, and builds, feeds, runs, traces and exports the models in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lintorch.models.building import build
from lintorch.models.building.candidates import MOST, Candidate, candidates
from lintorch.models.building.outline import OUTLINED, outline
from lintorch.models.identity import Seen
from lintorch.models.load import load, package_root
from lintorch.models.one import examine
from lintorch.models.work import Options
from lintorch.trace import wire
from lintorch.trace.record import Failure
from lintorch.trace.rungs import shortened
from lintorch.trace.site import Files
from lintorch.worker.isolate import SLACK, Send, isolate


@dataclass(frozen=True)
class Place:
    """What is checked: real path -> path as given; and the project's folder."""

    checked: Mapping[str, str]
    project: str
    options: Options

    def files(self) -> Files:
        """The user's files."""
        packages = {str(_package(Path(path))) for path in self.checked}
        return Files(self.checked, {self.project, *packages})


def visit(
    send: Send,
    path: str,
    checked: Mapping[str, str],
    project: str,
    options: Mapping[str, Any],
    passed: list[str],
) -> None:
    """Examine the models of the checked file with the real path `path`, but those of `passed`."""
    place = Place(checked, project, Options(**options))
    files, shown = place.files(), checked[path]
    try:
        text = Path(path).read_bytes()
        found = outline(text)
        module = load(Path(path), Path(project))
    except BaseException as error:  # whatever user code raises, SystemExit too
        send({"failure": wire.packed(_not_imported(error, files, shown))})
        send({"done": True})
        return
    covered = set(passed)
    tried = 0
    for candidate in candidates(module, found, text):
        if f"{shown}:{candidate.qualname}" in covered:
            continue
        if tried == MOST:
            cause = f"only the first {MOST} models of a file are tried; configure this one to have it tried"
            send({"failure": wire.packed(_failure(shown, candidate, "stopped", cause))})
            send({"done": True})
            return
        tried += 1
        covered |= _one(send, candidate, shown, files, place.options, covered)


def configured(
    send: Send,
    name: str,
    setting: Mapping[str, Any],
    checked: Mapping[str, str],
    project: str,
    options: Mapping[str, Any],
) -> None:
    """Examine the model `name` that the configuration describes."""
    place = Place(checked, project, Options(**options))
    files = place.files()
    where = str(setting["factory"])
    seen = Seen(where.partition(":")[0], name, 1)
    _isolated(
        send,
        seen,
        lambda inner: examine(
            inner,
            seen,
            lambda: build.configured(setting, Path(project), files),
            files,
            place.options,
            setting,
        ),
        place.options,
    )


def _one(
    send: Send,
    candidate: Candidate,
    shown: str,
    files: Files,
    options: Options,
    covered: Set[str],
) -> set[str]:
    seen = Seen(shown, candidate.qualname, candidate.row)

    def work(inner: Send) -> None:
        examine(inner, seen, lambda: build.builds(candidate, files), files, options, {}, covered)

    return _isolated(send, seen, work, options)


def _isolated(send: Send, seen: Seen, work: Callable[[Send], None], options: Options) -> set[str]:
    """Do the work in a child; what the model that ran there covers."""
    send({"begin": f"{seen.path}:{seen.qualname}"})
    send({"allow": options.seconds + 2 * SLACK})
    parts: set[str] = set()
    failed = False
    pieces = isolate(work, options.seconds + SLACK, options.memory, options.together)
    while True:
        try:
            message = next(pieces)
        except StopIteration as stop:
            ending = stop.value
            break
        failed = failed or "failure" in message
        if "model" in message:
            parts = set(message["model"].get("contains", ()))
        send(message)
    if ending.cause:
        failed = True
        cause = Failure(seen.path, seen.qualname, seen.row, "stopped", ending.cause, ending.output)
        send({"failure": wire.packed(cause)})
    send({"done": True})
    return set() if failed else parts


def _failure(shown: str, candidate: Candidate, stage: str, cause: str) -> Failure:
    return Failure(shown, candidate.qualname, candidate.row, stage, cause)


def _not_imported(error: BaseException, files: Files, shown: str) -> Failure:
    site = files.of_traceback(error, shown)
    row, cause = site.row if site else 1, shortened(error)
    if isinstance(error, SyntaxError) and error.lineno:
        if error.filename == OUTLINED:
            row, cause = error.lineno, f"{type(error).__name__}: {error.msg}"
        elif files.shown(error.filename or "") == shown:
            row = error.lineno
    return Failure(shown, "", row, "import", cause)


def _package(path: Path) -> Path:
    """The outermost package that holds a file; a file outside of packages holds only itself."""
    root = package_root(path)
    return root / path.relative_to(root).parts[0]
