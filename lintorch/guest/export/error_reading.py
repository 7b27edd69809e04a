"""Errors, read: their chain, the user's line in them, and the part that informs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from types import FrameType

from lintorch.guest.process.error_text import kind_of, text_of
from lintorch.record.trace import Site

UserFile = Callable[[str], str | None]
_LINE = re.compile(r'File "(?P<path>[^"]+)", line (?P<row>\d+)(?:, in (?P<function>\S+))?')
_RANGE = re.compile(r"(?P<path>[^\s()]+)\((?P<row>\d+)\): (?P<function>\S+)")
_ADDRESS = re.compile(r" at 0x[0-9a-f]{6,}")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_NOISE = re.compile(
    r"^(For more |For extended|For C\+\+|If you suspect|The error above|The above|Refer to|\(Refer|"
    r"Caused by:|The following call raised|consider using|Traceback|File \"|~+|\^+|⬆|#|- (If|Create)|This is step|Next steps)"
)
_TAIL = re.compile(r"\s*(For more information, run with|You can suppress|please run with).*$")
_RUNTIME = (
    (re.compile(r"\[ONNXRuntimeError\] : \d+ : \w+ : "), ""),
    (re.compile(r"Non-zero status code returned while running (\w+) node\. Name:"), r"\1 node "),
    (re.compile(r" \(unhinted: .*?\)\.?\s*\(Size-like.*\)"), ""),
    (re.compile(r" Status Message: (/onnxruntime_src\S+ .*?was false\. )?"), ": "),
)
_INTERPRETED = "The following operation failed in the TorchScript interpreter"
_LONGEST = 400


def chain(error: BaseException) -> Iterator[BaseException]:
    """An error and those it came from, the outermost first."""
    seen: set[int] = set()
    found: BaseException | None = error
    while found is not None and id(found) not in seen:
        seen.add(id(found))
        yield found
        found = found.__cause__ or (None if found.__suppress_context__ else found.__context__)


def frames(error: BaseException) -> Iterator[FrameType]:
    """The frames of an error's traceback, the innermost last."""
    trace = error.__traceback__
    while trace is not None:
        yield trace.tb_frame
        trace = trace.tb_next


def cause(error: BaseException) -> BaseException:
    """The error that an error was explicitly raised from, and that one from, to the end."""
    return cause(error.__cause__) if error.__cause__ is not None else error


def of_text(text: str, user_file: UserFile) -> Site | None:
    """The last line of the user's that a printed stack names."""
    found = [*_LINE.finditer(text), *_RANGE.finditer(text)]
    for match in sorted(found, key=lambda match: -match.start()):
        if (shown := user_file(match["path"])) is not None:
            return Site(shown, max(1, int(match["row"])), match["function"] or "")
    return None


def of_error(error: BaseException, user_file: UserFile) -> Site | None:
    """The innermost line of the user's that an error or one of its causes names or went through."""
    for inner in reversed([*chain(error)]):
        if found := of_text(text_of(inner), user_file) or _of_traceback(inner, user_file):
            return found
    return None


def _of_traceback(error: BaseException, user_file: UserFile) -> Site | None:
    found, trace = None, error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if (shown := user_file(code.co_filename)) is not None:
            found = Site(shown, trace.tb_lineno or 1, code.co_name)
        trace = trace.tb_next
    return found


def core(error: BaseException, lines: int = 2) -> str:
    """The type of an error and the first lines of its text that inform."""
    if _INTERPRETED in text_of(error):
        text = text_of(error).strip().splitlines()[-1].partition(": ")[2]
    else:
        text = " ".join([*_lines(text_of(error))][:lines]).rstrip(" :")
    for pattern, shorter in _RUNTIME:
        text = pattern.sub(shorter, text)
    text = _ADDRESS.sub("", text)
    if len(text) > _LONGEST:
        text = text[: _LONGEST - 1] + "…"
    return f"{kind_of(error)}: {text}" if text else kind_of(error)


def _lines(text: str) -> Iterator[str]:
    for line in _COLOUR.sub("", text).splitlines():
        stripped = _TAIL.sub("", line.strip())
        if _LINE.search(stripped):
            return
        if stripped and not _NOISE.match(stripped):
            yield stripped.removeprefix("- ")
