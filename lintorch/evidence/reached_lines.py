"""Which lines each call of a model reaches, whatever arguments it is given: by the text of their functions."""

from __future__ import annotations

import linecache
import re
from collections.abc import Iterator

from lintorch.evidence.host_reads import count_indent
from lintorch.record.sites import Site

_CHOICE = re.compile(r"\s*(if|elif|else|except|match|case)\b")
_DEFINITION = re.compile(r"\s*(async\s+)?(def|class)\b")
_DEEPEST = 3
"""Functions that call each other through which a line is followed."""


def is_always_reached(site: Site, depth: int = _DEEPEST) -> bool:
    """Whether a line stands in no branch of its function, and neither do the calls of that in its file."""
    if any(map(_CHOICE.match, _list_around(site))):
        return False
    if site.function in ("forward", "<module>"):
        return True
    calls = list(_list_calls(site))
    return bool(depth and calls) and all(is_always_reached(call, depth - 1) for call in calls)


def is_read_above(site: Site, attribute: str) -> bool:
    """Whether a line of the function above this one, or around it, speaks of an attribute."""
    asked = re.compile(rf"\.{re.escape(attribute)}\b")
    return any(map(asked.search, _list_above(site)))


def _list_above(site: Site) -> Iterator[str]:
    """The lines of its function above a line, the nearest first."""
    depth = count_indent(linecache.getline(site.path, site.row))
    for row in range(site.row - 1, 0, -1):
        text = linecache.getline(site.path, row)
        if text.strip() and count_indent(text) < depth and _DEFINITION.match(text):
            return
        yield text


def _list_around(site: Site) -> Iterator[str]:
    """The lines that blocks around a line begin with, up to its function."""
    depth = count_indent(linecache.getline(site.path, site.row))
    for text in _list_above(site):
        if text.strip() and count_indent(text) < depth:
            depth = count_indent(text)
            yield text


def _list_calls(site: Site) -> Iterator[Site]:
    """The lines of its file that call the function of a line, each with the function that it stands in."""
    call = re.compile(rf"(?<!def )\b{re.escape(site.function)}\(")
    function = ""
    for row, text in enumerate(linecache.getlines(site.path), 1):
        if found := re.match(r"\s*(?:async\s+)?def\s+(\w+)", text):
            function = found[1]
        elif call.search(text.partition("#")[0]):
            yield Site(site.path, row, function)
