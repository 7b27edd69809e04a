"""The Python in one file of a project: a script, the cells of a notebook, the code in a README."""

from __future__ import annotations

import ast
import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from lintorch.record.fenced_code import FENCED

_PROMPT = re.compile(r"^(>>>|\.\.\.) ?", re.MULTILINE)
_ASYNC = re.compile(r"\basync(?=\s*=(?!=))")
"""As in `target.cuda(async=True)`: a word that Python 3.7 has for itself."""
_PRINTED = re.compile(r"^([ \t]*)print[ \t]+[^\s(=].*$", re.MULTILINE)
_OF_SHELL = re.compile(r"^(\s*)[%!].*$", re.MULTILINE)


@dataclass(frozen=True)
class CodeText:
    """The statements of a file. `starts` holds the first row of each cell of a notebook."""

    path: Path
    tree: ast.Module
    starts: tuple[int, ...] = ()

    def name_place(self, row: int, project: Path) -> str:
        """`tools/export.py:31`, or `demo.ipynb cell 3`, relative to the project where it is inside."""
        inside = self.path.is_relative_to(project)
        shown = (self.path.relative_to(project) if inside else self.path).as_posix()
        if self.starts:
            return f"{shown} cell {bisect_right(self.starts, row)}"
        return f"{shown}:{row}"


@lru_cache(maxsize=128)
def parse_code(path: Path, data: bytes, *, module: bool = False) -> CodeText | None:
    """The code of a file; None where there is none that can be parsed.

    `module`: it is read as Python whatever the path says, as the module of a notebook's cells is.
    """
    text = data.decode("utf-8", "replace")
    try:
        if path.suffix == ".ipynb" and not module:
            return _parse_notebook(path, text)
        if path.suffix == ".md":
            return _join_pieces(path, _list_fenced(text))
        if path.suffix == ".sh":
            return None
        return CodeText(path, parse_any_python(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def parse_any_python(text: str) -> ast.Module:
    """The tree of a file; where it is of an earlier Python, without what that alone can read. Raises SyntaxError."""
    try:
        return ast.parse(text)
    except SyntaxError:
        return ast.parse(_PRINTED.sub(r"\1pass", _ASYNC.sub("async_", text)))


def _list_fenced(text: str) -> Iterator[tuple[int, str]]:
    """The row that each block of code begins at, and its text."""
    for match in FENCED.finditer(text):
        code = match["code"]
        if ">>>" in code:
            shown = (line if _PROMPT.match(line) else "" for line in code.splitlines())
            code = _PROMPT.sub("", "\n".join(shown))
        yield text.count("\n", 0, match.start("code")) + 1, code


def _parse_notebook(path: Path, text: str) -> CodeText | None:
    """The cells one below the other, each at rows of its own."""
    cells = json.loads(text).get("cells", [])
    row, pieces, starts = 1, [], []
    for cell in cells:
        source = cell.get("source", "")
        code = source if isinstance(source, str) else "".join(map(str, source))
        starts.append(row)
        if cell.get("cell_type") == "code":
            pieces.append((row, _OF_SHELL.sub(r"\1pass", code)))
        row += code.count("\n") + 1
    found = _join_pieces(path, iter(pieces))
    return found and CodeText(path, found.tree, tuple(starts))


def _join_pieces(path: Path, pieces: Iterator[tuple[int, str]]) -> CodeText | None:
    """One module of pieces of code, without those that cannot be parsed."""
    body: list[ast.stmt] = []
    for row, code in pieces:
        try:
            piece = ast.parse(code)
        except (SyntaxError, ValueError):
            continue
        body += ast.increment_lineno(piece, row - 1).body
    return CodeText(path, ast.Module(body, [])) if body else None
