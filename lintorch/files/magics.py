"""What only a notebook may write: lines that are commands to IPython, masked for who reads Python."""

from __future__ import annotations

import ast
import re
import warnings

OF_PYTHON = frozenset(
    ("capture", "debug", "prun", "pypy", "python", "python3", "time", "timeit")
)  # fmt: skip
"""Magics of a whole cell whose text is Python."""
_COMMAND = re.compile(
    r"([ \t]*)(%\S.*|!.*|\?.*|[\w.*%!]+\?{1,2}[ \t]*|(?:pip|conda|mamba) (?:un)?install\b.*|cd [\w./~-]+)$"
)
_ASSIGNED = re.compile(r"([ \t]*[\w.,\[\]\"' ]+=[ \t]*)([!%]\S.*)$")
_UNGIVEN = re.compile(r"([ \t]*[\w.,\[\]\"' ]+=[ \t]*)(#.*)$")
"""An exercise: who solves it writes a value in place of the comment."""
_UNDONE = re.compile(
    r"([ \t]+)(#.*\b(?i:todo|your code|code here|fill|implement|complete|exercise|solution)\b.*)$"
)
"""The same of a body."""


def split_head(source: str) -> tuple[str, str] | None:
    """The magic of a whole cell, with its line's end, and what follows; None where that is no Python."""
    if not source.lstrip().startswith("%%"):
        return "", source
    blank = len(source) - len(source.lstrip())
    head, newline, body = source[blank:].partition("\n")
    name = head[2:].split(maxsplit=1)[:1]
    return (source[:blank] + head + newline, body) if name and name[0] in OF_PYTHON else None


def mask_magics(source: str) -> str:
    """The same text, as long, with commands made comments or names; as it is where it parses."""
    if _parses(source):
        return source
    lines, goes_on = [], False
    for line in source.split("\n"):
        masked = _mask_line(line, goes_on)
        goes_on = masked != line and line.rstrip().endswith("\\")
        lines.append(masked)
    shown = "\n".join(lines)
    return shown if _parses(shown) else _fill_blanks(lines) or shown


def _fill_blanks(lines: list[str]) -> str:
    """With a name where a comment stands for what is to be written, `loss = # TODO`; "" where more is amiss."""
    filled = [_mask_blank(line, above) for line, above in zip(lines, ["", *lines], strict=False)]
    shown = "\n".join(filled)
    return shown if _parses(shown) else ""


def _mask_blank(line: str, above: str) -> str:
    if match := _UNGIVEN.match(line):
        return match[1] + _name(match[2])
    match = _UNDONE.match(line) if above.rstrip().endswith(":") else None
    return match[1] + _name(match[2]) if match else line


def unmask_magics(after: str, masked: str, source: str) -> str | None:
    """A changed text with the commands of the source put back; None where one is not to be found."""
    pairs = list(zip(masked.split("\n"), source.split("\n"), strict=True))
    changed = {line for line, original in pairs if line != original}
    if not changed:
        return after
    waiting = {line: [o for m, o in pairs if m == line] for line in changed}
    lines = []
    for line in after.split("\n"):
        originals = waiting.get(line)
        if originals is not None and not originals:
            return None
        lines.append(originals.pop(0) if originals else line)
    return None if any(waiting.values()) else "\n".join(lines)


def _mask_line(line: str, goes_on: bool) -> str:
    if goes_on:
        return f"#{line[1:]}" if line else line
    if match := _COMMAND.match(line):
        indent, command = match[1], match[2]
        return f"{indent}{_name(command) if indent else '#' + command[1:]}"
    if match := _ASSIGNED.match(line):
        return match[1] + _name(match[2])
    return line


def _name(command: str) -> str:
    """A name of nothing known, as long as a command is."""
    return "_" if len(command) < 2 else f"_#{command[2:]}"


def _parses(source: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True
