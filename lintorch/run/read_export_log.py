"""The warnings of tracers in the log of an export: which lines they name."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from lintorch.run.read_export_error import read_error

MOST_BYTES = 64 << 20
_LONGEST = 2000
_COLORS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_WARNING = re.compile(
    r"(?P<path>\S.{0,400}?\.pyi?|<[^<>]{1,100}>):(?P<row>\d{1,7}): (?P<kind>\w*Warning): ?(?P<text>.*)"
)
_INSTALLED = re.compile(r"[/\\](site|dist)-packages[/\\]")
_OF_TORCH = re.compile(r"[/\\]torch[/\\](onnx|jit|_export|utils)[/\\]")
_INSIDE_TORCH = re.compile(r"[/\\](site|dist)-packages[/\\]torch[/\\]")
_ONNX = re.compile(r"torch[/\\.]onnx|TorchScript-based ONNX")
_TRACER = "TracerWarning"


class LogError(Exception):
    """What was given is no log that can be read; says why."""


@dataclass(frozen=True)
class LoggedWarning:
    """A warning at a line; `source` is the line as the log shows it, "" where it does not.

    `found` is the file here that is probably meant, "" where there is none.
    """

    path: str
    row: int
    kind: str
    text: str
    source: str = ""
    found: str = ""
    times: int = 1
    is_error: bool = False
    """Whether it is the error that the log ends with; `path` is "" where it names no line of yours."""

    @property
    def is_inside_torch(self) -> bool:
        """Whether the line is torch's own."""
        return bool(_INSIDE_TORCH.search(self.path))


@dataclass(frozen=True)
class ExportLog:
    """The warnings of a log, each line once, then its error; and the exporter that it seems to be of."""

    warnings: tuple[LoggedWarning, ...]
    exporter: str
    text: str = ""
    """All of it, without colours."""

    @property
    def error(self) -> LoggedWarning | None:
        """The error that it ends with."""
        return next((each for each in self.warnings if each.is_error), None)


def read_log(data: bytes) -> ExportLog:
    """The warnings in a log. Raises LogError."""
    if len(data) > MOST_BYTES:
        raise LogError(f"it has more than {MOST_BYTES >> 20} MiB")
    text = _COLORS.sub("", _decode(data))
    counted: dict[tuple[str, int, str], LoggedWarning] = {}
    for each in _list_warnings(text.splitlines()):
        key = each.path, each.row, each.text
        before = counted.get(key)
        counted[key] = replace(before, times=before.times + 1) if before else each
    exporter = "onnx-legacy" if _ONNX.search(text) else "torchscript-trace"
    if told := read_error(text.splitlines()):
        (frame, kind, message), raised_by = told
        error = LoggedWarning(
            frame.path, frame.row, kind, message[:_LONGEST], frame.source, is_error=True
        )
        counted[frame.path, frame.row, message] = error
        exporter = raised_by or exporter
    return ExportLog(
        tuple(replace(each, found=find_here(each)) for each in counted.values()), exporter, text
    )


def _decode(data: bytes) -> str:
    """PowerShell writes UTF-16."""
    utf16 = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    return data.decode("utf-16" if utf16 else "utf-8-sig", "replace")


def _list_warnings(lines: list[str]) -> Iterator[LoggedWarning]:
    """Those of tracers, and of torch's exporters themselves."""
    for number, line in enumerate(lines):
        match = _WARNING.search(line[:_LONGEST]) if "Warning:" in line else None
        if match is None:
            continue
        kind, path = match["kind"], _strip_stamp(match["path"])
        if kind != _TRACER and not (kind == "UserWarning" and _OF_TORCH.search(path)):
            continue
        after = lines[number + 1].strip()[:_LONGEST] if number + 1 < len(lines) else ""
        source = "" if _WARNING.search(after) else after
        yield LoggedWarning(path, int(match["row"]), kind, match["text"].strip(), source)


def _strip_stamp(path: str) -> str:
    """Without the time and the names of a logger that stand before it on the line."""
    if os.path.isfile(path):
        return path
    found = re.search(
        r"(?:^|[\s:|\]])((?:[A-Za-z]:)?[/\\].*|[\w.\-]+(?:[/\\][^\s]*)?\.pyi?|<.*>)$", path
    )
    return found[1] if found else path


def find_here(warning: LoggedWarning) -> str:
    """The file that is meant: the path itself, or else its end below the working directory."""
    if not warning.path:
        return ""
    path = warning.path.replace("\\", "/") if not os.path.exists(warning.path) else warning.path
    if os.path.isfile(path):
        here = os.path.relpath(path)
        return here if not here.startswith("..") else path
    if _INSTALLED.search(path):
        return ""
    parts = [part for part in path.split("/") if part not in ("", ".", "..")]
    tails = (os.path.join(*parts[start:]) for start in range(len(parts)))
    return next((tail for tail in tails if os.path.isfile(tail)), "")
