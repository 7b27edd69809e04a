"""Findings of the source tier, kept between runs; a broken or foreign cache is an empty one."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from lintorch.cache.cache_folder import cache_folder, read_kept, write_kept
from lintorch.cache.plain_finding import make_plain, read_finding
from lintorch.core.code_tree import ANY_BELOW, walk_code
from lintorch.core.finding import Finding

BROKEN = (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError)
"""What a file that is not there, or holds something else, may raise."""
_FORMAT = 10
"""Of what is stored; to be raised with every change of it, or of the fields of a finding."""
_SETTLED = 2_000_000_000
"""Nanoseconds after which a file cannot change any more without its time of change telling.

The coarsest clock of a file system in use, FAT's, ticks every two seconds.
"""
_Stamp = tuple[int, int, int, str]
"""Size, nanoseconds of the last change as the file tells it and as the system does, digest.

What unpacks an archive sets the first; that alone would let a changed file pass for the old one.
"""


def digest_content(data: bytes) -> str:
    """What stands for the content of a file."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


@dataclass
class Cache:
    """Findings by file under one fingerprint of settings, rules, profile and releases."""

    file: str
    root: str
    _entries: dict[str, list[Any]] = field(default_factory=dict)
    """By path below the root: digest, then where not empty findings, files consulted, `about`."""
    _stamps: dict[str, _Stamp] = field(default_factory=dict)
    _seen: dict[str, _Stamp] = field(default_factory=dict)
    """Stamps looked at in this run."""
    _changed: bool = False

    @classmethod
    def open(cls, root: str, fingerprint: str) -> Cache:
        """What the user's cache holds of files below `root` for runs with this fingerprint."""
        root = os.path.abspath(root)
        name = digest_content(f"{root} {fingerprint}".encode(errors="surrogateescape"))
        cache = cls(os.path.join(cache_folder(), f"findings-{name}.json"), root)
        with suppress(*BROKEN):
            stored = json.loads(read_kept(cache.file))
            if stored["format"] == _FORMAT:
                stamps = {key: (s[0], s[1], s[2], s[3]) for key, s in stored["stamps"].items()}
                cache._entries, cache._stamps = dict(stored["entries"]), stamps
        return cache

    def get(self, path: str) -> tuple[Finding, ...] | None:
        """The findings of a file as last put; None where it, or a file consulted, has changed."""
        entry = self._entries.get(self._key(path))
        with suppress(ValueError, TypeError, KeyError, IndexError, AttributeError):
            if entry is None or entry[0] != self._digest(path):
                return None
            consulted = entry[2] if len(entry) > 2 else {}
            if any(self._digest(os.path.join(self.root, p)) != d for p, d in consulted.items()):
                return None
            return tuple(read_finding(path, each) for each in (entry[1] if len(entry) > 1 else ()))
        return None

    def content(self, path: str) -> str:
        """The digest of the bytes that the findings last put are of; "" where there are none."""
        entry = self._entries.get(self._key(path), ())
        return str(entry[0]) if entry else ""

    def about(self, path: str) -> Any:
        """What was put about the file besides its findings; None where that was nothing."""
        entry = self._entries.get(self._key(path), ())
        return entry[3] if len(entry) > 3 else None

    def put(
        self,
        path: str,
        content: str,
        findings: Iterable[Finding],
        consulted: Iterable[str] = (),
        about: Any = None,
    ) -> None:
        """Keep the findings of a file whose bytes have the digest `content`.

        `consulted` are the other files that the findings depend on, `about` plain values.
        """
        others = {self._key(p): self._digest(p) for p in sorted(consulted) if p != path}
        entry: list[Any] = [content, [make_plain(path, f) for f in findings], others, about]
        while not entry[-1]:
            entry.pop()
        stamp = self._seen.get(self._key(path))
        if stamp and stamp[3] != content:  # changed between two looks: look again next time
            self._seen[self._key(path)] = (stamp[0], 0, 0, content)
        self._entries[self._key(path)] = entry
        self._changed = True

    def save(self) -> None:
        """Write what has changed, at once; where that cannot be done there is no cache."""
        fresh = time.time_ns() - _SETTLED
        for key, (size, *times, content) in self._seen.items():
            told, changed = times if max(times) < fresh else (0, 0)
            self._stamps[key] = (size, told, changed, content)
        if not self._changed:
            with suppress(OSError):
                os.utime(self.file)  # as in use
            return
        self._forget_the_gone()
        stored = {"format": _FORMAT, "entries": self._entries, "stamps": self._stamps}
        with suppress(OSError):
            write_kept(self.file, json.dumps(stored, separators=(",", ":")).encode())
        self._changed = False

    def _forget_the_gone(self) -> None:
        for key in {*self._entries, *self._stamps} - self._seen.keys():
            if not os.path.exists(os.path.join(self.root, key)):
                self._entries.pop(key, None)
                self._stamps.pop(key, None)

    def _key(self, path: str) -> str:
        whole = os.path.abspath(path)
        return whole[len(self.root) + 1 :] if whole.startswith(self.root + os.sep) else whole

    def _digest(self, path: str) -> str:
        """The digest of a file as it is now; "" of what cannot be read. Each is looked at once."""
        key = self._key(path)
        if key not in self._seen:
            try:
                self._seen[key] = self._look(path, key)
            except OSError:
                self._seen[key] = (-1, 0, 0, "")
        return self._seen[key][3]

    def _look(self, path: str, key: str) -> _Stamp:
        folder, last = os.path.split(path)
        if last == ANY_BELOW:
            names = sorted(os.path.relpath(each, folder) for each in walk_code(folder))
            return 0, 0, 0, digest_content("/".join(names).encode(errors="surrogateescape"))
        found = os.stat(path)
        stamp = found.st_size, found.st_mtime_ns, found.st_ctime_ns
        known = self._stamps.get(key)
        if known and known[:3] == stamp:
            return known
        content = digest_content(_read_whole(path))
        self._changed = True
        return *stamp, content


def _read_whole(path: str) -> bytes:
    """What a file holds; of a folder, the names of its Python files."""
    if os.path.isdir(path):
        names = sorted(each for each in os.listdir(path) if each.endswith(".py"))
        return "/".join(names).encode(errors="surrogateescape")
    with open(path, "rb") as stream:
        return stream.read()
