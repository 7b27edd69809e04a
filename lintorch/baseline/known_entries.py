"""What a known finding is told by: its rule and the code it stands on, never the number of a line."""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from lintorch.core.finding import Evidence, Finding, Place

_NEWLINE = re.compile(r"\r\n|\n|\r")
_COMMENT = re.compile(r"(?:^|\s)#.*$")
_LONGEST = 100
"""Characters of code that are kept as they are; of more, the beginning and what stands for the rest."""


@dataclass(frozen=True, order=True)
class Entry:
    """Findings that are known: so many of one rule on the same code of a file.

    `file` has forward slashes, and is relative to the folder that its baseline is about.
    """

    file: str
    code: str
    source: str
    """The code that the finding marks, whatever its layout."""
    around: str = ""
    """What stands for its row and those next to it."""
    target: str = ""
    evidence: Evidence = Evidence.SOURCE
    count: int = 1


Texts = Mapping[str, str]
Name = Callable[[str], str]
"""From the path of a finding to the file of an entry."""


def make_entries(findings: Iterable[Finding], texts: Texts, name: Name) -> list[Entry]:
    """The entries of findings, sorted; equal ones are counted."""
    rows = _RowsOfFiles(texts)
    counted = Counter(_make_entry(finding, rows, name) for finding in findings)
    return sorted(replace(entry, count=count) for entry, count in counted.items())


def match_entries(
    findings: Iterable[Finding],
    texts: Texts,
    name: Name,
    entries: Iterable[Entry],
    looked_at: Collection[str],
    is_there: Callable[[str], bool],
) -> tuple[list[Finding], list[Entry]]:
    """The findings that are known, and what is left of the entries, with how often.

    An entry is looked for where it was, in code that reads the same all round, then in that file
    as a whole, then in code that moved to another file; that of a file that is gone, under its own
    name elsewhere. Code of files that are neither `looked_at` nor gone is taken to be there still.
    """
    rows = _RowsOfFiles(texts)
    waiting = [(finding, _make_entry(finding, rows, name)) for finding in findings]
    left: list[Entry] = [replace(e, count=1) for e in entries for _ in range(e.count)]
    known: list[Finding] = []
    gone = {e.file for e in left if e.file not in looked_at and not is_there(e.file)}
    for key, may_match in _list_ways(gone, looked_at):
        pool: dict[Hashable, list[Entry]] = defaultdict(list)
        rest: list[Entry] = []
        for entry in reversed(left):
            (pool[key(entry)] if may_match(entry) else rest).append(entry)
        unmatched = []
        for finding, made in waiting:
            if same := pool.get(key(made)):
                same.pop()
                known.append(finding)
            else:
                unmatched.append((finding, made))
        waiting, left = unmatched, sorted([*rest, *(e for each in pool.values() for e in each)])
    return known, _count_again(left)


_Key = Callable[[Entry], Hashable]


def _list_ways(
    gone: Collection[str], looked_at: Collection[str]
) -> Sequence[tuple[_Key, Callable[[Entry], bool]]]:
    """What has to be the same, from strict to lenient, and the entries that this may be asked of."""
    return (
        (lambda e: (e.file, *_say(e), e.around), lambda e: True),
        (lambda e: (e.file, *_say(e)), lambda e: True),
        (
            lambda e: (*_say(e), e.around),
            lambda e: e.file in gone or e.file in looked_at,
        ),
        (
            lambda e: (os.path.basename(e.file), *_say(e)),
            lambda e: e.file in gone,
        ),
    )


def _say(entry: Entry) -> tuple[str, ...]:
    return entry.code, entry.target, _squeeze(entry.source)


def _count_again(entries: Iterable[Entry]) -> list[Entry]:
    return [replace(entry, count=count) for entry, count in Counter(entries).items()]


class _RowsOfFiles:
    """The rows of the texts that findings are in."""

    def __init__(self, texts: Texts) -> None:
        self._texts = texts
        self._rows: dict[str, list[str]] = {}

    def rows(self, path: str) -> list[str]:
        if path not in self._rows:
            self._rows[path] = _NEWLINE.split(self._texts.get(path, ""))
        return self._rows[path]


def _make_entry(finding: Finding, files: _RowsOfFiles, name: Name) -> Entry:
    place = finding.place
    rows = files.rows(place.path)
    source = " ".join(_marked_code(rows, place).split())
    if len(source) > _LONGEST:
        source = f"{source[:_LONGEST]}… {_digest(_squeeze(source))}"
    around = _digest("\n".join(_rows_around(rows, place)))
    target, evidence = finding.target or "", finding.evidence
    return Entry(name(place.path), finding.code, source, around, target, evidence)


def _marked_code(rows: Sequence[str], place: Place) -> str:
    """The span of a finding; its row where no end is known, or the span is not of this text."""
    if not 0 < place.row <= len(rows):
        return ""
    first, last = place.row - 1, place.end_row - 1
    if last < first or last >= len(rows):
        return rows[first].strip()
    if first == last:
        return rows[first][place.column - 1 : place.end_column - 1] or rows[first].strip()
    inner = [_COMMENT.sub("", row) for row in rows[first + 1 : last]]
    begin, end = rows[first][place.column - 1 :], rows[last][: place.end_column - 1]
    return "\n".join([_COMMENT.sub("", begin), *inner, end])


def _rows_around(rows: Sequence[str], place: Place) -> list[str]:
    """The row of a finding, and the closest one with code above and below it."""
    bare = [_squeeze(_COMMENT.sub("", row)) for row in rows]
    at = min(max(place.row - 1, 0), max(len(bare) - 1, 0))
    above = next((row for row in reversed(bare[:at]) if row), "")
    below = next((row for row in bare[at + 1 :] if row), "")
    return [above, *bare[at : at + 1], below]


def _squeeze(text: str) -> str:
    return "".join(text.split()).replace(",)", ")").replace(",]", "]")


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=5).hexdigest()
