"""What the tracer of Python (Dynamo) itself says of why it stopped, and its hints, where a message holds them."""

from __future__ import annotations

import re

_EXPLAINED = re.compile(
    r"Explanation: (?P<why>.{8,500}?) (?=Hint: |Developer debug context|For more details about|from user code|\\Z)"
)
_HINT = re.compile(
    r"Hint: (?P<hint>.{8,400}?) ?(?=Hint: |Developer debug context|For more details about|from user code|\\Z)"
)
_EMPTY = re.compile(
    r"This graph break is fundamental|may be possible to write Dynamo tracing rules|report an issue|file an issue"
    r"|likely to be a Dynamo bug|Dynamo has detected that tracing|will raise an error|re-running|Set TORCH"
)
"""Hints that tell nothing to do."""
_AFTER = 4000
_MOST = 3


def read_break(said: str) -> tuple[str, str]:
    """Dynamo's explanation, and its hints as one clause; "" of what a text that `unify_text` has made does not hold."""
    said = f"{said[:_AFTER]} "
    explained = _EXPLAINED.search(said)
    hints = [each["hint"].strip(" .") for each in _HINT.finditer(said)]
    told = dict.fromkeys(each for each in hints if not _EMPTY.search(each))
    why = explained["why"].strip().rstrip(".") if explained else ""
    return why, "; ".join([*told][:_MOST])
