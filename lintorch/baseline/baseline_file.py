"""The file that keeps known findings: JSON with an entry a row, so that changes merge."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from lintorch.baseline.known_entries import Entry
from lintorch.core.finding import Evidence
from lintorch.files.file_text import write_whole

_VERSION = 1
_TEXTS = "file", "code", "source", "around"


class BaselineError(Exception):
    """A baseline that cannot be read or written: names the file and what is wrong."""


def read_baseline(path: str) -> list[Entry]:
    """Its entries. Raises BaselineError."""
    try:
        with open(path, encoding="utf-8") as file:
            whole = json.load(file)
    except FileNotFoundError:
        told = "there is no such baseline; `lintorch baseline` writes it"
        raise BaselineError(f"{path}: {told}") from None
    except OSError as error:
        raise BaselineError(f"{path}: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise BaselineError(f"{path}: not a baseline: {error}") from error
    if not isinstance(whole, dict) or "lintorch-baseline" not in whole:
        raise BaselineError(f"{path}: not a baseline of lintorch")
    if whole["lintorch-baseline"] != _VERSION:
        told = f"made by another release of lintorch (format {whole['lintorch-baseline']!r})"
        raise BaselineError(f"{path}: {told}; `lintorch baseline` writes it again")
    return [_read_entry(path, number, each) for number, each in enumerate(_list(whole), 1)]


def write_baseline(path: str, entries: Iterable[Entry]) -> None:
    """Raises BaselineError, with the file as it was."""
    rows = ",\n".join(f"  {json.dumps(_plain(e), ensure_ascii=False)}" for e in sorted(entries))
    listed = f"[\n{rows}\n ]" if rows else "[]"
    text = f'{{\n "lintorch-baseline": {_VERSION},\n "findings": {listed}\n}}\n'
    try:
        write_whole(path, text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise BaselineError(f"{path}: {error.strerror or error}; nothing was written") from error


def _list(whole: dict[str, Any]) -> list[Any]:
    found = whole.get("findings")
    return found if isinstance(found, list) else []


def _plain(entry: Entry) -> dict[str, object]:
    plain: dict[str, object] = {key: getattr(entry, key) for key in _TEXTS}
    if entry.target:
        plain["target"] = entry.target
    if entry.evidence is not Evidence.SOURCE:
        plain["evidence"] = str(entry.evidence)
    if entry.count != 1:
        plain["count"] = entry.count
    return plain


def _read_entry(path: str, number: int, plain: Any) -> Entry:
    try:
        texts = [plain[key] for key in _TEXTS]
        target, count = plain.get("target", ""), plain.get("count", 1)
        evidence = Evidence[plain.get("evidence", "source").upper()]
        if not all(isinstance(each, str) for each in (*texts, target)):
            raise TypeError("texts expected")
        if not isinstance(count, int) or count < 1:
            raise ValueError("count")
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise BaselineError(f"{path}: entry {number} is not one of a baseline: {error}") from None
    file, code, source, around = texts
    return Entry(file, code, source, around, target, evidence, count)
