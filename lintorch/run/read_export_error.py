"""The error that the log of an export ends with: its message, and the line of the user's that led there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from lintorch.run.read_frames import TracedFrame, read_frames

_BEGIN_PLAIN = "Traceback (most recent call last)"
_BEGIN = re.compile(re.escape(_BEGIN_PLAIN) + r"|^_{3,} .{1,300} _{3,}$")
"""Of Python, and of a failed test under pytest."""
_END = re.compile(r"^=+ (?:short test summary|warnings summary|\d{1,6} (?:failed|error|passed))")
_STAMP = re.compile(
    r"^\ufeff?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?Z? (?=.)|^E {1,80}(?=\S)"
)
"""What a runner of CI puts before a line, and pytest before those of an error."""
_MARKED = re.compile(r"^(?:\S{8,40}Z |[\d\- :.,T]{10,30})?E {1,}\S")
_ERROR = re.compile(
    r"(?P<kind>[A-Za-z_][\w.]*(?:Error|Exception|Unsupported|GuardOn\w+|\.(?:Fail|InvalidArgument|InvalidGraph|NotImplemented))): ?(?P<text>.*)"
)
_INNER = re.compile(r"<class '(?P<kind>[\w.]+)'>: (?P<text>.*)")
_NOT_YOURS = re.compile(r"[/\\](site|dist)-packages[/\\]|[/\\]lib[/\\]python3|^<(?!ipython-input)")
_SCRIPTED = re.compile(r"torch[/\\]jit[/\\](_script|_recursive|frontend)\.py")
_EXPORTERS = (
    ("onnx", re.compile(r"torch[/\\]onnx[/\\]_internal[/\\]exporter")),
    ("torch.export", re.compile(r"torch[/\\]_?export[/\\]")),
    ("torchscript-script", _SCRIPTED),
)

Told = tuple[TracedFrame, str, str]
"""The line, class and message; a line without path where none is the user's."""


def read_error(lines: Sequence[str]) -> tuple[Told, str] | None:
    """The last error of a log, and the exporter that raised it, "" where none is known of."""
    stamped, lines = lines, [_STAMP.sub("", _STAMP.sub("", line)) for line in lines]
    begins = [number for number, line in enumerate(lines) if _BEGIN.search(line)]
    if not begins:
        return None
    block = lines[begins[-1] :]
    ends = (number for number, line in enumerate(block) if _END.match(line))
    block = block[: next(ends, len(block))]
    said = block if _BEGIN_PLAIN in block[0] else [*_list_marked(stamped[begins[-1] :], block)]
    named = [match for line in said if (match := _ERROR.match(line.strip("│ ")))]
    inner = [match for line in said if (match := _INNER.match(line.strip()))]
    found = (inner or named)[-1:]
    if not found:
        return None
    match = found[0]
    text = match["text"].strip() or _read_next(block, match.string)
    own = [each for each in read_frames(block) if not _NOT_YOURS.search(each.path)]
    frame = own[-1] if own else TracedFrame("", 0)
    joined = "\n".join(block)
    exporter = next((name for name, mark in _EXPORTERS if mark.search(joined)), "")
    return (frame, match["kind"].rpartition(".")[2], text), exporter


def _list_marked(stamped: Sequence[str], block: Sequence[str]) -> Iterator[str]:
    """The lines of an error under pytest, which marks them: source that it shows beside holds errors, too."""
    for before, line in zip(stamped, block):  # noqa: B905 - the block is cut at its end
        if _MARKED.match(before):
            yield line.strip()


def _read_next(block: Sequence[str], after: str) -> str:
    """The first line below that says something: errors of TorchScript begin with an empty one."""
    at = next((n for n, line in enumerate(block) if line.strip("│ ") == after), len(block))
    return next((line.strip() for line in block[at + 1 :] if line.strip()), "")
