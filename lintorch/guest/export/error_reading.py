"""Errors, read: their chain, the user's line in them, and the part that informs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from types import FrameType

from lintorch.guest.process.error_text import class_name_of, text_of
from lintorch.record.sites import Site

UserFile = Callable[[str], str | None]
_PYTHON_LINE = re.compile(r'File "(?P<path>[^"]+)", line (?P<row>\d+)(?:, in (?P<function>\S+))?')
_TORCHSCRIPT_LINE = re.compile(r"(?P<path>[^\s()]+)\((?P<row>\d+)\): (?P<function>\S+)")
_ADDRESS = re.compile(r" at 0x[0-9a-f]{6,}")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_UNTELLING = re.compile(
    r"^(For more |For extended|For C\+\+|If you suspect|The error above|The above|Refer to|\(Refer|"
    r"Caused by:|The following call raised|consider using|Traceback|File \"|~+|\^+|⬆|#|- (If|Create)|This is step|Next steps)"
)
_ADVICE = re.compile(r"\s*(For more information, run with|You can suppress|please run with).*$")
_SHORTENED = (
    (re.compile(r"\[ONNXRuntimeError\] : \d+ : \w+ : "), ""),
    (re.compile(r"Non-zero status code returned while running (\w+) node\. Name:"), r"\1 node "),
    (re.compile(r" \(unhinted: .*?\)\.?\s*\(Size-like.*\)"), ""),
    (re.compile(r" Status Message: (/onnxruntime_src\S+ .*?was false\. )?"), ": "),
)
_INTERPRETED = "The following operation failed in the TorchScript interpreter"
_MOST_CHARACTERS = 400
"""Characters of an error's text that are told, at most."""


def list_causes(error: BaseException) -> Iterator[BaseException]:
    """An error and those it came from, the outermost first."""
    seen: set[int] = set()
    found: BaseException | None = error
    while found is not None and id(found) not in seen:
        seen.add(id(found))
        yield found
        found = found.__cause__ or (None if found.__suppress_context__ else found.__context__)


def list_frames(error: BaseException) -> Iterator[FrameType]:
    """The frames of an error's traceback, the innermost last."""
    trace = error.__traceback__
    while trace is not None:
        yield trace.tb_frame
        trace = trace.tb_next


def find_root_cause(error: BaseException) -> BaseException:
    """The error that an error was explicitly raised from, and that one from, to the end."""
    return find_root_cause(error.__cause__) if error.__cause__ is not None else error


def find_site_in_text(text: str, user_file: UserFile) -> Site | None:
    """The last line of the user's that a printed stack names."""
    found = [*_PYTHON_LINE.finditer(text), *_TORCHSCRIPT_LINE.finditer(text)]
    for match in sorted(found, key=lambda match: -match.start()):
        if (shown := user_file(match["path"])) is not None:
            return Site(shown, max(1, int(match["row"])), match["function"] or "")
    return None


def find_interpreted_site(text: str, user_file: UserFile) -> Site | None:
    """The innermost line of the user's at which TorchScript says that a run raised: it names that first."""
    for match in _TORCHSCRIPT_LINE.finditer(text) if _INTERPRETED in text else ():
        if (shown := user_file(match["path"])) is not None:
            return Site(shown, max(1, int(match["row"])), match["function"])
    return None


def find_site_of_error(error: BaseException, user_file: UserFile) -> Site | None:
    """The innermost line of the user's that an error or one of its causes names or went through."""
    for inner in reversed([*list_causes(error)]):
        if found := find_site_in_text(text_of(inner), user_file) or _find_site_in_traceback(
            inner, user_file
        ):
            return found
    return None


def _find_site_in_traceback(error: BaseException, user_file: UserFile) -> Site | None:
    found, trace = None, error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if (shown := user_file(code.co_filename)) is not None:
            found = Site(shown, trace.tb_lineno or 1, code.co_name)
        trace = trace.tb_next
    return found


def summarise_error(error: BaseException, lines: int = 2) -> str:
    """The type of an error and the first lines of its text that inform."""
    if _INTERPRETED in text_of(error):
        text = text_of(error).strip().splitlines()[-1].partition(": ")[2]
    else:
        text = " ".join([*_list_telling_lines(text_of(error))][:lines]).rstrip(" :")
    for pattern, shorter in _SHORTENED:
        text = pattern.sub(shorter, text)
    text = _ADDRESS.sub("", text)
    if len(text) > _MOST_CHARACTERS:
        text = text[: _MOST_CHARACTERS - 1] + "…"
    return f"{class_name_of(error)}: {text}" if text else class_name_of(error)


def _list_telling_lines(text: str) -> Iterator[str]:
    for line in _COLOUR.sub("", text).splitlines():
        stripped = _ADVICE.sub("", line.strip())
        if _PYTHON_LINE.search(stripped):
            return
        if stripped and not _UNTELLING.match(stripped):
            yield stripped.removeprefix("- ")
