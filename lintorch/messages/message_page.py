"""The page of a runtime's messages, for the documentation: one heading for each kind."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from lintorch.messages.message_kinds import Kind, Runtime

_RANKS = {
    "note": "No error: nothing is wrong with the result.",
    "symptom": "It only follows from another error, which stands before it in the log.",
    "broad": "Known by what it speaks of; the exact condition stands in the message.",
    "general": "What it says beyond this depends on the words behind it.",
    "place": "A part of the program: told where the words are not known, and a source file of its own is named.",
    "last": "Any other error of this program: the answer says that its cause is not known.",
}


def write_message_page(runtime: Runtime, links: Mapping[str, tuple[str, str]]) -> str:
    """The page; `links` are code and place of each rule by its name."""
    parts = [
        f"# Error messages: {runtime.title}",
        "Made from what `lintorch explain --log` knows, by `python docs/make.py`.",
        runtime.introduction,
        "    lintorch explain --log error.txt                 # or piped: --log -\n"
        "    lintorch explain model.onnx --log error.txt      # leads the node that it names to its line",
        "The answer names the lines of your project that may be the cause "
        "([what else it tells](../explain.md)).",
    ]
    ordered = sorted(runtime.kinds, key=lambda kind: ("cause", "broad", "general", "symptom", "note", "class", "place", "last").index(kind.rank))  # fmt: skip
    for kind in ordered:
        parts += _write_kind(kind, links)
    parts += ["## Another message", f"Where a message says too little: {_escape(runtime.more)}."]
    return "\n\n".join(parts) + "\n"


def _write_kind(kind: Kind, links: Mapping[str, tuple[str, str]]) -> Iterator[str]:
    yield f"## {_quote(kind.heading)}"
    if _RANKS.get(kind.rank):
        yield _RANKS[kind.rank]
    yield f"**Cause.** {_escape(kind.cause)}"
    yield f"**What to do.** {_escape(kind.remedy)}."
    if kind.rules:
        listed = ", ".join(f"[{links[name][0]} {name}](../{links[name][1]})" for name in kind.rules)
        yield f"Rules that find it in source: {listed}."


def _quote(text: str) -> str:
    """As code that is searched for as it stands."""
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def _escape(text: str) -> str:
    """Plain text, except for what is code in it already."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(
        part if part.startswith("`") else re.sub(r"([\\*_\[\]<>#|])", r"\\\1", part)
        for part in parts
    )
