"""What `lintorch explain` prints."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from lintorch.report.characters import join_lines
from lintorch.report.places import shown_model, shown_path
from lintorch.run.explain_lines import ExplainedValue, RowContext

_MOST_CONTEXTS = 12
_MOST_VALUES = 4
_WIDEST = 60


def format_contexts(contexts: Sequence[RowContext]) -> str:
    """By line and way a block of `expression: value` lines; of many ways the first, and how many more."""
    lines: list[str] = []
    for row in dict.fromkeys(context.row for context in contexts):
        ways = [context for context in contexts if context.row == row]
        for context in ways[:_MOST_CONTEXTS]:
            lines += [*([""] if lines else []), *_describe_context(context)]
        if ways[_MOST_CONTEXTS:]:
            lines += ["", f"line {row}: and {len(ways) - _MOST_CONTEXTS} other ways"]
    return "".join(f"{line}\n" for line in lines)


def _describe_context(context: RowContext) -> Iterator[str]:
    often = f"  ({context.times} times)" if context.times > 1 else ""
    yield f"line {context.row}: {name_way(context)}{often}"
    for each in _leave_out_assigned(context.values):
        yield f"  {_shorten(join_lines(each.text))}: {_join_values(each)}"


def _leave_out_assigned(values: Sequence[ExplainedValue]) -> Iterator[ExplainedValue]:
    """All but the expression that a name was assigned from, which says the same."""
    assigned = {each.values for each in values if each.assigned}
    for each in values:
        if each.assigned or each.values not in assigned:
            yield each
        assigned -= set() if each.assigned else {each.values}


def name_way(context: RowContext) -> str:
    """`Net.forward → Block.forward`."""
    inner = [name for name in context.names[1:] if not name.startswith("<")]
    return " → ".join(inner or context.names[:1])


def _join_values(value: ExplainedValue) -> str:
    more = len(value.values) - _MOST_VALUES
    rest = [f"{more} others"] if more > 0 else []
    return ", then ".join([*map(join_lines, value.values[:_MOST_VALUES]), *rest])


def _shorten(text: str) -> str:
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"


def format_contexts_json(contexts: Sequence[RowContext]) -> str:
    """An array of objects, one for each line and way."""
    return json.dumps(list(map(_context_object, contexts)), indent=2) + "\n"


def _context_object(context: RowContext) -> dict[str, Any]:
    return {
        "row": context.row,
        "model": shown_model(context.root),
        "way": list(context.names),
        "calls": [{"path": shown_path(spot.path), "row": spot.row} for spot in context.spots],
        "times": context.times,
        "values": [
            {
                "text": each.text,
                "assigned": each.assigned,
                "values": list(each.values),
            }
            for each in context.values
        ],
    }
