"""Where a store lies: a folder, or what fsspec reaches by an address. Names are relative, with slashes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from lintorch.files.file_text import replace_file


class StoreError(Exception):
    """There is no store at that address; the text says why."""


@dataclass(frozen=True)
class Item:
    """What lies in a store; `used` in seconds since 1970, 0 where that is not told."""

    name: str
    size: int
    used: float


class Place(Protocol):
    """A store's files. All methods but `has` raise OSError."""

    def read(self, name: str) -> bytes:
        """A file; it counts as used now, where the place knows of that."""

    def write(self, name: str, data: bytes) -> None:
        """Put a file there, whole or not at all."""

    def has(self, name: str) -> bool:
        """Whether a file is there."""

    def items(self) -> Iterator[Item]:
        """All files."""

    def remove(self, name: str) -> None:
        """Take a file away."""


@dataclass(frozen=True)
class FolderPlace:
    """A folder of this machine, or one that several share."""

    folder: Path

    def read(self, name: str) -> bytes:
        """A file, which is marked as used now."""
        data = (self.folder / name).read_bytes()
        with suppress(OSError):
            os.utime(self.folder / name)
        return data

    def write(self, name: str, data: bytes) -> None:
        """Written beside it, and then put in its place."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(str(path), data)

    def has(self, name: str) -> bool:
        """Whether a file is there."""
        return (self.folder / name).is_file()

    def items(self) -> Iterator[Item]:
        """All files, those that are being written too."""
        for path in sorted(self.folder.rglob("*")):
            with suppress(FileNotFoundError):
                if path.is_file():
                    found = path.stat()
                    name = path.relative_to(self.folder).as_posix()
                    yield Item(name, found.st_size, found.st_mtime)

    def remove(self, name: str) -> None:
        """Take a file away."""
        (self.folder / name).unlink(missing_ok=True)


@dataclass(frozen=True)
class RemotePlace:
    """What fsspec reaches; objects there are written whole, or told by their checksum."""

    system: Any
    root: str

    def read(self, name: str) -> bytes:
        """A file."""
        return bytes(self._asked("cat_file", name))

    def write(self, name: str, data: bytes) -> None:
        """Put an object there."""
        path = self._path(name)
        self._asked("makedirs", name.rpartition("/")[0], exist_ok=True)
        self._call(lambda: self.system.pipe_file(path, data))

    def has(self, name: str) -> bool:
        """Whether an object is there; not, where the place does not say."""
        try:
            return bool(self._asked("isfile", name))
        except OSError:
            return False

    def items(self) -> Iterator[Item]:
        """All objects, with the time of their last change where that is told."""
        found = self._call(lambda: self.system.find(self.root, detail=True))
        for path, about in sorted(found.items()):
            told = about.get("mtime") or about.get("LastModified") or about.get("created") or 0
            used = told.timestamp() if hasattr(told, "timestamp") else float(told)
            yield Item(path[len(self.root) :].lstrip("/"), int(about.get("size") or 0), used)

    def remove(self, name: str) -> None:
        """Take an object away."""
        self._asked("rm_file", name)

    def _path(self, name: str) -> str:
        return f"{self.root}/{name}" if name else self.root

    def _asked(self, method: str, name: str, **given: Any) -> Any:
        return self._call(lambda: getattr(self.system, method)(self._path(name), **given))

    def _call(self, ask: Any) -> Any:
        """What it answers; whatever the service raises as OSError."""
        try:
            return ask()
        except OSError:
            raise
        except Exception as error:  # each service has errors of its own
            raise OSError(f"{type(error).__name__}: {error}") from error


def find_place(address: str) -> Place:
    """A folder, or an address such as `s3://bucket/lintorch`. Raises StoreError."""
    kind, mark, rest = address.partition("://")
    if not mark:
        return FolderPlace(Path(os.path.abspath(address)))
    if kind == "file":
        return FolderPlace(Path(rest))
    try:
        import fsspec
    except ImportError as error:
        raise StoreError(f"{address} needs fsspec: pip install fsspec") from error
    try:
        system, root = fsspec.core.url_to_fs(address)
    except (ImportError, OSError, ValueError) as error:
        raise StoreError(f"{address}: {error}") from error
    return RemotePlace(system, root.rstrip("/"))
