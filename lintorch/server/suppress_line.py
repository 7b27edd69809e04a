"""The edit that suppresses one finding on its line."""

from __future__ import annotations

import re

from lintorch.core.finding import Edit, Finding
from lintorch.suppress.read_comments import read_comments

_OF_ENGINE = "LT0"
_NEWLINE = re.compile(r"\r\n|\n|\r")


def suppress_finding(text: str, finding: Finding) -> Edit | None:
    """A comment at the end of the finding's logical line, or a further name in the one there.

    None for what lintorch says of itself, which a comment there does not suppress.
    """
    if finding.code.startswith(_OF_ENGINE):
        return None
    comments, lines = read_comments(text)
    around = (rows for rows in lines if finding.place.row in rows)
    row = next(around, range(finding.place.row, finding.place.row + 1)).stop - 1
    for comment in comments:
        is_list = comment.words and not (comment.noqa or comment.whole_file or comment.alone)
        if comment.row == row and is_list:
            end = comment.listed[1]
            return Edit(end, end, f", {finding.name}")
    starts = (0, *(each.end() for each in _NEWLINE.finditer(text)), len(text))
    line = text[starts[row - 1] : starts[row]]
    end = starts[row - 1] + len(line.rstrip())
    stop = starts[row - 1] + len(line.rstrip("\r\n"))
    return Edit(end, stop, f"  # lintorch: ignore[{finding.name}]")
