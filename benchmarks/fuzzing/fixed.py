"""What fixing makes of copies of real files."""

from __future__ import annotations

import re
import subprocess
import sys
import tokenize
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path

from lintorch.files import DEFAULT_EXCLUDE
from lintorch.suppress import mentions_suppression

CHECK = [sys.executable, "-m", "lintorch", "check", "--select", "ALL", "--exit-zero"]
FIX = [*CHECK, "--fix", "--unsafe-fixes", "--no-cache", "--output-format", "concise", "--jobs"]
EXCLUDED = frozenset(DEFAULT_EXCLUDE)
_BOM = b"\xef\xbb\xbf"


def fix(folder: Path, jobs: int) -> str:
    """Fixes a folder; what it says on its standard error where it fails."""
    done = subprocess.run([*FIX, str(jobs), "."], cwd=folder, capture_output=True, text=True)
    failed = done.returncode not in (0, 1) and "Traceback" in done.stderr
    return done.stderr[-2000:] if failed else ""


def contents(folder: Path) -> dict[str, bytes]:
    """The bytes of each file of a folder."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*.py")}


def damage(
    before: Mapping[str, bytes], once: Mapping[str, bytes], twice: Mapping[str, bytes]
) -> Iterator[tuple[str, str]]:
    """Each file that fixing damaged, and how."""
    for name, data in before.items():
        if once[name] != twice[name]:
            yield name, "a second run changes it again"
        if once[name] != data:
            yield from ((name, harm) for harm in list_harms(data, once[name]))


def list_harms(before: bytes, after: bytes) -> Iterator[str]:
    """What a fix did to the bytes of a file that it may not do."""
    if _compiles(before) and not _compiles(after):
        yield "does not compile any more"
    if before.startswith(_BOM) != after.startswith(_BOM):
        yield "its byte-order mark is another"
    if not _ends(after) <= _ends(before):
        yield f"its lines ended in {_ends(before)} and end in {_ends(after)}"
    if _coding(before) != _coding(after):
        yield "its encoding is another"
    lost = _comments(before) - _comments(after)
    if lost:
        yield f"lost the comment {next(iter(lost))!r}"


def _compiles(data: bytes) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(data, "file", "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True


def _ends(data: bytes) -> set[bytes]:
    return set(re.findall(rb"\r\n|\r|\n", data))


def _coding(data: bytes) -> str:
    try:
        return tokenize.detect_encoding(BytesIO(data).readline)[0]
    except SyntaxError:
        return ""


def _comments(data: bytes) -> Counter[str]:
    """The comments, but for suppressions: idle ones are meant to go."""
    found: Counter[str] = Counter()
    try:
        for token in tokenize.tokenize(BytesIO(data).readline):
            if token.type == tokenize.COMMENT and not mentions_suppression(token.string):
                found[token.string.rstrip()] += 1
    except (tokenize.TokenError, SyntaxError, UnicodeDecodeError):
        pass
    return found
