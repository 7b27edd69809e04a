"""A code frame: the rows a finding stands on, two around them, and a mark under its span."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lintorch.core.finding import Place
from lintorch.core.text_rows import Rows, split_rows
from lintorch.report.characters import count_columns, show_characters
from lintorch.report.places import find_end, find_start
from lintorch.report.styled_lines import Line, Piece, Screen, clip_line

_AROUND = 2
"""Rows before and behind a span that are shown: enough to find the place by reading."""
_LONGEST = 6
"""Rows of a span that are shown; of a longer one, such as a whole class, only the beginning."""


def draw_frame(text: str, place: Place, style: str, screen: Screen) -> Iterator[Line]:
    """The frame of a place, its span in `style`; no line where the text does not reach it."""
    rows = split_rows(text)
    (first, column), (last, end_column) = find_start(place), find_end(place)
    if first > len(rows.lines):
        return
    last = min(last - (end_column == 1 and last > first), len(rows.lines))
    if first == last:
        yield from _draw_underlined(rows, first, (column, end_column), style, screen)
    else:
        yield from _draw_barred(rows, first, last, style, screen)


def draw_gutter(rows: Rows, row: int | None, sign: Piece) -> Line:
    """The row's number, as wide for all rows of a text, and a sign between it and the code."""
    digits = max(3, len(str(len(rows.lines))))
    return (f"  {'' if row is None else row:>{digits}} ", "dim"), sign, (" ", "")


def count_room(rows: Rows, screen: Screen) -> int:
    """Columns left for code beside the gutter."""
    return screen.width - sum(count_columns(text) for text, _ in draw_gutter(rows, 1, ("|", "")))


def find_leftmost(begin: int, stop: int, widest: int, space: int) -> int:
    """The first column to show so that the columns `begin` to `stop` are seen in `space`."""
    if widest <= space or stop <= space - 1:
        return 0
    slack = max(space - (stop - begin), space // 2) // 2
    return max(begin - slack, 0)


def _draw_underlined(
    rows: Rows, row: int, span: tuple[int, int], style: str, screen: Screen
) -> Iterator[Line]:
    marked = show_characters(screen.fit(rows.lines[row - 1]))
    first = min(span[0] - 1, len(marked))
    last = max(min(span[1] - 1, len(marked)), first)
    if last <= first == 0:  # a run knows the line alone
        written = "".join(marked)
        first, last = len(written) - len(written.lstrip()), len(written.rstrip())
    begin, stop = count_columns("".join(marked[:first])), count_columns("".join(marked[:last]))
    space, shown = count_room(rows, screen), _rows_around(rows, row, row)
    left = find_leftmost(begin, stop, _measure_widest(rows, shown, screen), space)
    bar, more = (screen.glyphs.bar, "dim"), screen.glyphs.more
    for number in shown:
        code = _plain_row(rows, number, screen)
        if number == row:
            code = [(text, style if first <= i < last else "") for i, text in enumerate(marked)]
        yield *draw_gutter(rows, number, bar), *clip_line(code, left, space, more)
        if number == row:
            length = max(min(stop, left + space) - begin, 1)
            under = screen.glyphs.under * length
            yield *draw_gutter(rows, None, bar), (" " * (begin - left), ""), (under, style)


def _draw_barred(rows: Rows, first: int, last: int, style: str, screen: Screen) -> Iterator[Line]:
    seen = min(last, first + _LONGEST - 1)
    space, more = count_room(rows, screen), screen.glyphs.more
    for number in _rows_around(rows, first, seen if seen == last else seen - _AROUND):
        inside = first <= number <= last
        sign = (screen.glyphs.thick, style) if inside else (screen.glyphs.bar, "dim")
        code = _plain_row(rows, number, screen, "" if inside else "dim")
        yield *draw_gutter(rows, number, sign), *clip_line(code, 0, space, more)
    if seen < last:
        hidden = f"{more} {last - seen} more rows"
        yield *draw_gutter(rows, None, (screen.glyphs.thick, style)), (hidden, "dim")


def _rows_around(rows: Rows, first: int, last: int) -> Sequence[int]:
    """The rows with those before and behind, less blank ones at either end."""
    before, behind = max(first - _AROUND, 1), min(last + _AROUND, len(rows.lines))
    while before < first and not rows.lines[before - 1].strip():
        before += 1
    while behind > last and not rows.lines[behind - 1].strip():
        behind -= 1
    return range(before, behind + 1)


def _plain_row(rows: Rows, row: int, screen: Screen, style: str = "dim") -> list[Piece]:
    return [(text, style) for text in show_characters(screen.fit(rows.lines[row - 1]))]


def _measure_widest(rows: Rows, shown: Sequence[int], screen: Screen) -> int:
    return max(
        sum(count_columns(text) for text, _ in _plain_row(rows, row, screen)) for row in shown
    )
