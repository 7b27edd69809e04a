"""Git's wildcards as regular expressions."""

from __future__ import annotations

import re

_CLASSES = {
    "alnum": "a-zA-Z0-9", "alpha": "a-zA-Z", "blank": " \\t", "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9", "graph": "!-~", "lower": "a-z", "print": " -~",
    "punct": "!-/:-@\\[-`{-~", "space": " \\t\\n\\r\\f\\v", "upper": "A-Z", "xdigit": "0-9a-fA-F",
}  # fmt: skip
_NAMED = re.compile(r"\[:([^\]]*):\]")


def translate_wildcards(pattern: str) -> str | None:
    """The expression that matches a whole path; None of a pattern that matches nothing."""
    parts: list[str] = []
    position = 0
    while position < len(pattern):
        step = _translate_step(pattern, position)
        if step is None:
            return None
        part, position = step
        parts.append(part)
    return "".join(parts)


def _translate_step(pattern: str, at: int) -> tuple[str, int] | None:
    character = pattern[at]
    if character == "*":
        return _translate_stars(pattern, at)
    if character == "?":
        return "[^/]", at + 1
    if character == "[":
        return _translate_set(pattern, at + 1)
    if character == "\\":
        return (re.escape(pattern[at + 1]), at + 2) if at + 1 < len(pattern) else None
    return re.escape(character), at + 1


def _translate_stars(pattern: str, at: int) -> tuple[str, int]:
    """`*` stays within a folder; `**` between slashes spans folders."""
    end = at
    while pattern[end : end + 1] == "*":
        end += 1
    alone = at == 0 or pattern[at - 1] == "/"
    if end - at < 2 or not alone or pattern[end : end + 1] not in ("", "/"):
        return "[^/]*", end
    return (".*", end) if end == len(pattern) else ("(?:.*/)?", end + 1)


def _translate_set(pattern: str, at: int) -> tuple[str, int] | None:
    """A set of characters, from behind its `[`; `]` may be its first member."""
    negated = pattern[at : at + 1] in ("!", "^") and at < len(pattern)
    at += negated
    inside, first, previous = "", True, ""
    while first or pattern[at : at + 1] != "]":
        first = False
        if at >= len(pattern):
            return None
        if named := _NAMED.match(pattern, at):
            if named[1] not in _CLASSES:
                return None
            inside, previous, at = inside + _CLASSES[named[1]], "", named.end()
            continue
        ranged = pattern[at] == "-" and previous and pattern[at + 1 : at + 2] not in ("", "]")
        at += bool(ranged)
        at += pattern[at] == "\\"
        if at >= len(pattern):
            return None
        if not ranged:
            inside, previous = inside + _escape_in_set(pattern[at]), pattern[at]
        else:
            inside += (
                f"{_escape_in_set(previous)}-{_escape_in_set(pattern[at])}"
                if previous <= pattern[at]
                else ""
            )
            previous = ""
        at += 1
    if not inside:
        return ("[^/]" if negated else "(?!)"), at + 1
    return f"(?!/)[{'^' if negated else ''}{inside}]", at + 1


def _escape_in_set(character: str) -> str:
    return f"\\{character}" if character in "\\]^-[&~|" else character
