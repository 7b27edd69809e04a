"""What changed in a git repository since a revision, and its files as they were."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

_HUNK = re.compile(rb"@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@")
_SAFE = ("-c", "core.fsmonitor=false", "-c", "core.quotePath=false")
"""Settings of a repository that would have git run programs of it."""
_LARGEST = 4_000_000
"""Bytes of a file that is code."""


class RepositoryError(Exception):
    """A revision cannot be compared with: no repository, no such revision, no git."""


@dataclass(frozen=True)
class Changes:
    """Paths are relative to the repository's `root`, as git writes them."""

    root: str
    base: str
    """The commit that is compared with."""
    rows: Mapping[str, tuple[range, ...]] = field(default_factory=dict)
    """By file that differs, its rows that are new or changed."""
    former: Mapping[str, str] = field(default_factory=dict)
    """By file that was renamed, what it was called."""
    tracked: frozenset[str] = frozenset()

    def is_changed(self, path: str, first: int, last: int) -> bool:
        """Whether any of these rows changed; those of a file that git does not know did."""
        if path not in self.tracked:
            return True
        return any(rows.start <= last and first < rows.stop for rows in self.rows.get(path, ()))


def read_changes(folder: str, revision: str) -> Changes:
    """What differs from where the work in `folder` left that revision. Raises RepositoryError."""
    try:
        root = os.fsdecode(_git(folder, "rev-parse", "--show-toplevel")).rstrip("\n")
    except RepositoryError as error:
        if "not a git repository" in str(error):
            raise RepositoryError(f"{os.path.abspath(folder)} is in no git repository") from None
        raise
    base = _find_base(root, revision)
    told = (
        *("--no-ext-diff", "--no-textconv", "--no-color", "--find-renames"),
        *("--ignore-submodules", "--diff-filter=AMRC", base),
    )
    names = _split(_git(root, "diff", "--name-status", "-z", *told, "--"))
    patch = _git(root, "diff", "--unified=0", *told, "--")
    listed = list(_read_names(iter(names)))
    rows = dict(zip((new for new, _ in listed), _read_hunks(patch), strict=False))
    former = {new: old for new, old in listed if old and new != old}
    tracked = frozenset(map(os.fsdecode, _split(_git(root, "ls-files", "-z"))))
    return Changes(os.path.realpath(root), base, rows, former, tracked)


def read_former(changes: Changes, path: str) -> bytes | None:
    """A file as it was at the revision, under the name it had; None where it was not there."""
    try:
        named = changes.former.get(path, path)
        return _git(changes.root, "cat-file", "blob", f"{changes.base}:{named}")
    except RepositoryError:
        return None


def write_tree(changes: Changes, folder: str, is_wanted: Callable[[str], bool]) -> None:
    """Write the wanted files of the revision below a folder. Raises RepositoryError."""
    listing = _split(_git(changes.root, "ls-tree", "-r", "-z", "-l", "--full-tree", changes.base))
    blobs = [
        (head.split()[2], name)
        for head, _, name in (line.partition(b"\t") for line in listing)
        if head.startswith(b"100") and int(head.split()[3]) <= _LARGEST
        if is_wanted(os.fsdecode(name)) and b".." not in name.split(b"/")
    ]
    asked = b"".join(blob + b"\n" for blob, _ in blobs)
    answer = _git(changes.root, "cat-file", "--batch", stdin=asked)
    at = 0
    for _, name in blobs:
        head, _, _ = answer[at : at + 200].partition(b"\n")
        begin = at + len(head) + 1
        at = begin + int(head.split()[2]) + 1
        path = os.path.join(folder, os.fsdecode(name))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(answer[begin : at - 1])


def _find_base(root: str, revision: str) -> str:
    """Where HEAD and the revision part; the revision itself where they share nothing."""
    asked = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    try:
        commit = _git(root, *asked).decode().strip()
    except RepositoryError:
        told = "a shallow clone may lack it: git fetch gets it"
        raise RepositoryError(f"git knows no revision {revision!r} in {root}; {told}") from None
    try:
        return _git(root, "merge-base", commit, "HEAD").decode().split()[0]
    except (RepositoryError, IndexError):
        return commit


def _read_names(words: Iterator[bytes]) -> Iterator[tuple[str, str]]:
    """Each file's name and the one it had; "" of one that is new."""
    for status in words:
        first = os.fsdecode(next(words))
        if status[:1] in (b"R", b"C"):
            yield os.fsdecode(next(words)), first
        else:
            yield first, "" if status == b"A" else first


def _read_hunks(patch: bytes) -> Iterator[tuple[range, ...]]:
    """The changed rows of each file of a patch, in its order."""
    rows: list[range] | None = None
    for line in patch.split(b"\n"):
        if line.startswith(b"diff --git "):
            if rows is not None:
                yield tuple(rows)
            rows = []
        elif rows is not None and (hunk := _HUNK.match(line)):
            first, number = int(hunk[1]), int(hunk[2] or 1)
            rows.append(range(first, first + max(number, 0)))
    if rows is not None:
        yield tuple(rows)


def _split(data: bytes) -> list[bytes]:
    return [each for each in data.split(b"\0") if each]


def _git(folder: str, *arguments: str, stdin: bytes | None = None) -> bytes:
    """What git prints. Raises RepositoryError with what it complains about."""
    try:
        done = subprocess.run(
            ["git", *_SAFE, "-C", folder, *arguments],
            input=stdin or b"",
            capture_output=True,
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"},
        )
    except OSError as error:
        raise RepositoryError(f"git cannot be started: {error.strerror or error}") from error
    if done.returncode:
        told = done.stderr.decode("utf-8", "replace").strip().removeprefix("fatal: ")
        raise RepositoryError(f"git {arguments[0]}: {told or f'exit code {done.returncode}'}")
    return done.stdout
