"""The Python that a README shows: what its project is built with, as it says itself."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from lintorch.record.fenced_code import FENCED

_PROMPT = re.compile(r"^(?:>>>|\.\.\.) ?")


def read_guide(text: str, name: str = "") -> str:
    """The code that calls `name`, in the rows where it stands, all else left empty; all code without a name.

    Of several blocks that call it the first that is Python counts.
    """
    called = re.compile(rf"\b{re.escape(name)}\(")
    rows = [""] * (text.count("\n") + 1)
    for first, code in _list_blocks(text):
        if name and not (called.search(code) and _is_python(code)):
            continue
        block = code.split("\n")
        rows[first : first + len(block)] = block
        if name:
            break
    return "\n".join(rows)


def _list_blocks(text: str) -> Iterator[tuple[int, str]]:
    """How many rows stand before each block of code, and what it holds, prompts taken off."""
    for match in FENCED.finditer(text):
        lines = match["code"].removesuffix("\n").split("\n")
        if any(line.startswith(">>>") for line in lines):
            lines = [_PROMPT.sub("", each) if _PROMPT.match(each) else "" for each in lines]
        yield text.count("\n", 0, match.start("code")), "\n".join(lines)


def _is_python(code: str) -> bool:
    try:
        ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
