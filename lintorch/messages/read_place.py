"""The part of a program that a source file of its own names, where its message is not known."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from lintorch.messages.message_kinds import Kind, Runtime
from lintorch.messages.name_raiser import write_frame
from lintorch.messages.recognise import Recognised
from lintorch.messages.refused_operators import is_contributed
from lintorch.targets.opset_history import spell_standard

_BEFORE, _AFTER = 1500, 700
"""Characters around a message in which its source file is looked for."""
_HINTS = re.compile(
    r"\[[WIV]:onnxruntime:[^\]]{0,200}\]"
    r"|(?:\[TRT\] {0,2}\[[WIV]\]|\[[WIV]\] {0,2}\[TRT\]) {0,2}\[?[\w/\\.]{1,120}\.(?:cpp|cu|h)\b"
)
"""Where a program says from where a hint or a warning comes, which is no part of an error."""
_KERNEL = "kernel"
"""The group of a kind's pattern that holds what torch calls the operator."""
_UNSAID = "Its words are not known here; it comes from"


def add_place(found: Recognised, text: str) -> Recognised:
    """A message of which the program alone is known, with what the part of it does that spoke.

    `core/optimizer/transpose_optimizer.cc:412` is ONNX Runtime's graph optimizer, whatever it says.
    """
    placed = _find_place(found, text)
    if placed is None:
        return found
    place, groups = placed
    kind = replace(
        found.kind,
        error=place.error,
        cause=f"{_UNSAID} {place.cause}",
        remedy=place.remedy,
        rules=tuple(dict.fromkeys((*found.kind.rules, *place.rules))),
    )
    named = groups.get("operator", "")
    spelled = named if is_contributed(named) else spell_standard(named)
    kernel = groups.get(_KERNEL, "")
    told = f"aten::{kernel}" if kernel else spelled
    return replace(found, kind=kind, operator=found.operator or told)


def _find_place(found: Recognised, text: str) -> tuple[Kind, Mapping[str, str]] | None:
    """The first kind in the order of its file, so that what is narrower stands before what is wider."""
    near = text[max(0, found.at - _BEFORE) : found.at + _AFTER].replace("\\", "/")
    frame = write_frame(text, found.at)
    last = _search(found.runtime, frame) if frame else None
    return last or _search(found.runtime, _HINTS.sub(" ", near))


def _search(runtime: Runtime, near: str) -> tuple[Kind, Mapping[str, str]] | None:
    lowered = near.lower()
    for kind in runtime.kinds:
        if kind.rank == "place" and kind.pattern and any(word in lowered for word in kind.needs):
            matches = [*kind.pattern.finditer(near)]
            if matches:
                groups = matches[-1].groupdict()
                return kind, {name: value for name, value in groups.items() if value}
    return None
