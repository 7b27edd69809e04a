"""What the files that work has read hold now, each looked at once in a run."""

from __future__ import annotations

import os
import re
import threading
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path

from lintorch.record.digests import digest_file, digest_values
from lintorch.record.project_texts import match_calls, match_names, read_texts

_WORD = re.compile(rb"\w+")


class FilesNow:
    """Asked from any thread."""

    def __init__(self, project: str) -> None:
        self._project = project
        self._digests: dict[str, str] = {}
        self._indexes: dict[str, _WordIndex] = {}
        self._lock = threading.Lock()

    def digest_of(self, path: str) -> str:
        """What stands for the content of a file; "" of one that cannot be read."""
        if path not in self._digests:
            try:
                self._digests[path] = digest_file(path)
            except OSError:
                self._digests[path] = ""
        return self._digests[path]

    def changed_since(self, path: str, moment: int) -> bool:
        """Whether a file has changed since a moment in nanoseconds, or may have."""
        try:
            return os.stat(path).st_mtime_ns >= moment
        except OSError:
            return False

    def search(self, names: Sequence[str]) -> str:
        """What stands for the files of the project in which one of the names is a word."""
        found = match_names(names)
        index = self._index("", lambda: (str(path) for path, _ in read_texts(self._project)))
        near = {path for name in names for path in index.list_near(name)}
        return self._digest_all(p for p in near if found and found.search(_read(p)))

    def search_calls(self, name: str, checked: Collection[str]) -> str:
        """What stands for the files that are checked in which a name is called."""
        index = self._index("checked", lambda: checked)
        call, near = match_calls(name), {*index.list_near(name)} & {*checked}
        return self._digest_all(path for path in near if call.search(_read(path)))

    def _index(self, kind: str, paths: Callable[[], Iterable[str]]) -> _WordIndex:
        with self._lock:
            if kind not in self._indexes:
                self._indexes[kind] = _WordIndex(paths())
            return self._indexes[kind]

    def _digest_all(self, paths: Iterable[str]) -> str:
        return digest_values(sorted((path, self.digest_of(path)) for path in paths))


class _WordIndex:
    """Which files hold which words."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = list(paths)
        self._by_word: dict[bytes, list[str]] = defaultdict(list)
        for path in self._paths:
            for word in {*_WORD.findall(_read(path))}:
                self._by_word[word].append(path)

    def list_near(self, text: str) -> Collection[str]:
        """The files that hold each word of a text, maybe as a part of a longer one at its ends."""
        words = _WORD.findall(text.encode())
        if not words:
            return self._paths
        return set.intersection(*(set(self._by_word.get(word, ())) for word in words))


def _read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""
