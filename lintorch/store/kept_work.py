"""What workers told of pieces of work, kept for as long as nothing changes that they read."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from lintorch.host.said import Said
from lintorch.host.worker_task import WorkerTask
from lintorch.record.framing import Parcel
from lintorch.record.messages import Ending, ExportTried, FilesRead, ModelFailed
from lintorch.record.readers import MalformedError
from lintorch.store.files_now import FilesNow
from lintorch.store.kept_artifacts import keep_files, restore_files, with_artifact
from lintorch.store.places import Place, find_place
from lintorch.store.sealed import UnsoundError, seal, unseal
from lintorch.store.work_key import list_releases, name_work

_MOST_WAYS = 4
"""Contents of files under which one piece of work is kept, as those of several branches."""
_GIVEN_UP = ("stopped", "import")
"""Where work ended that may end otherwise at another time: at a limit, or for what was not there."""
_SLACK = 5 * 10**7
"""Nanoseconds before the work began from which on a change counts: file systems tell the time in steps."""


def open_store(address: str, python: str, project: str) -> StoredWork:
    """The work kept there that this interpreter did on a project. Raises StoreError and OSError."""
    return StoredWork(find_place(address), address, list_releases(python), FilesNow(project))


class StoredWork:
    """Asked from any thread. `notes` say what could not be read or written, one line each."""

    def __init__(self, place: Place, address: str, releases: str, files: FilesNow) -> None:
        self._place, self._address = place, address
        self._releases, self._files = releases, files
        self._unsound: list[str] = []
        self._unwritten = ""
        self._lock = threading.Lock()

    @property
    def notes(self) -> tuple[str, ...]:
        """What could not be read or written, one line each."""
        told = [f"{self._address}: {self._unwritten}; not all is kept"] if self._unwritten else []
        if found := sorted({*self._unsound}):
            which = found[0] if len(found) == 1 else f"{found[0]} and {len(found) - 1} more"
            told.append(f"{self._address}: {which} cannot be read, and is done again")
        return tuple(told)

    def find(self, task: WorkerTask, whole: bool = True) -> Said | None:
        """What was told; without files that exports made where it is not asked for `whole`."""
        name = self._name(task)
        for way in self._read_ways(name):
            try:
                if self._still_holds(way, task):
                    return self._read_said(way, task.options.artifacts if whole else "")
            except FileNotFoundError:
                continue
            except _UNREADABLE:
                self._unsound.append(name)
        return None

    def keep(self, task: WorkerTask, said: Said, began: int) -> None:
        """Keep what was told, unless it may be told otherwise at another time."""
        read = _files_read(said)
        if said.ending.cause or read is None or any(map(_gave_up, said.parcels)):
            return
        if any(self._files.changed_since(path, began - _SLACK) for path in read.paths):
            return
        name = self._name(task)
        try:
            way = self._write_way(task, said, read)
            others = [each for each in self._read_ways(name) if each.get("read") != way["read"]]
            self._place.write(name, seal([way, *others][:_MOST_WAYS]))
        except OSError as error:
            self._unwritten = str(error)

    def _name(self, task: WorkerTask) -> str:
        key = name_work(task, self._releases)
        return f"work/{key[:2]}/{key}"

    def _read_ways(self, name: str) -> list[dict[str, Any]]:
        try:
            ways = unseal(self._place.read(name))
            return [way for way in ways if isinstance(way, dict)]
        except FileNotFoundError:
            return []
        except _UNREADABLE:
            self._unsound.append(name)
            return []

    def _still_holds(self, way: Mapping[str, Any], task: WorkerTask) -> bool:
        """Whether all that was read is as it was, and is called as it was."""
        if not {*way["passed"]} <= {*task.arguments.get("passed", ())}:
            return False
        files, searches, calls = way["read"]
        return all(
            self._files.digest_of(path) == known and task.checked.get(path) == shown
            for path, known, shown in files
        ) and (
            all(self._files.search(names) == known for *names, known in searches)
            and all(self._files.search_calls(n, _read_as_files(task)) == k for n, k in calls)
        )

    def _write_way(self, task: WorkerTask, said: Said, read: FilesRead) -> dict[str, Any]:
        """Raises OSError."""
        files = [[p, self._files.digest_of(p), task.checked.get(p)] for p in read.paths]
        parcels = [each for each in said.parcels if each.tag != FilesRead.tag]
        made = {str(n): kept for n, p in enumerate(parcels) if (kept := keep_files(self._place, p))}
        return {
            "read": [files, [[*each] for each in read.searches], [[*each] for each in read.calls]],
            "passed": [
                name
                for name in task.arguments.get("passed", ())
                if name.rpartition(":")[0] in {shown for _, _, shown in files}
            ],
            "told": [[each.tag, each.parts] for each in parcels],
            "output": said.ending.output,
            "files": made,
        }

    def _read_said(self, way: Mapping[str, Any], folder: str) -> Said:
        """Raises OSError, and what `_UNREADABLE` names."""
        parcels = [Parcel(tag, parts) for tag, parts in way["told"]]
        for number, parcel in enumerate(parcels):
            if made := way["files"].get(str(number)) if folder else None:
                parcels[number] = restore_files(self._place, parcel, made, folder)
            else:
                parcels[number] = with_artifact(parcel, "")
        return Said(tuple(parcels), Ending("", str(way["output"])))


_UNREADABLE = (UnsoundError, OSError, ValueError, TypeError, KeyError, AttributeError, MalformedError)  # fmt: skip


def _read_as_files(task: WorkerTask) -> list[str]:
    """The checked files that work reads as they lie there: the text of its own notebook is given to it."""
    return [path for path in task.checked if path not in task.arguments["modules"]]


def _files_read(said: Said) -> FilesRead | None:
    """Which files were read; None where nobody knows."""
    for parcel in said.parcels:
        if parcel.tag == FilesRead.tag:
            try:
                return parcel.open_as(FilesRead)
            except MalformedError:
                return None
    return None


def _gave_up(parcel: Parcel) -> bool:
    inner = {ModelFailed.tag: "failure", ExportTried.tag: "outcome"}.get(parcel.tag)
    told = parcel.parts.get(inner) if inner and isinstance(parcel.parts, dict) else None
    if not isinstance(told, dict):
        return False
    return told.get("stage") in _GIVEN_UP or told.get("status") == "unavailable"
