"""What a fix changes, row by row, as JSON holds it."""

from __future__ import annotations

from typing import Any

from lintorch.core.finding import Fix
from lintorch.core.text_rows import split_rows
from lintorch.report.fix_diff import group_edits


def diff_values(fix: Fix, text: str | None) -> list[dict[str, Any]]:
    """`{row, old, new}` of each change; none where the text is unknown, or no longer what was read."""
    if text is None or any(edit.end > len(text) for edit in fix.edits):
        return []
    return [
        {"row": change.row, "old": list(change.old), "new": list(change.new)}
        for change in group_edits(split_rows(text), fix.edits)
    ]
