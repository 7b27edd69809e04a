"""Exceptions of code that is not ours, put into words: nothing that they do can hurt who asks."""

from __future__ import annotations

import traceback
from pathlib import Path
from types import TracebackType
from typing import Any

MOST_LETTERS = 1 << 16
"""Of an exception's text; the longest that torch writes has half of that."""
_NO_MEMORY = ("allocate memory", "DefaultCPUAllocator", "std::bad_alloc")
_OURS = str(Path(__file__).parents[2])
_MOST_CAUSES, _LONGEST_TRACEBACK = 4, 8000
_PLUMBING = ("torch/nn/modules/module.py", "torch/_ops.py", "torch/_compile.py", "eval_frame.py")
"""Files of torch that say nothing of an error that goes through them."""
_name = vars(type)["__name__"].__get__


def class_name_of(value: object) -> str:
    """The name of a value's class, whatever its metaclass says."""
    return str.__getitem__(_name(type(value)), slice(None))


def text_of(error: BaseException, most: int = MOST_LETTERS) -> str:
    """The text of an exception, without what lies between its beginning and its end where it is long."""
    try:
        text: Any = str(error)
    except BaseException as inner:  # whatever user code raises
        return f"(its text raises {class_name_of(inner)})"
    if str.__len__(text) > most:
        half = most // 2
        return (
            str.__getitem__(text, slice(half)) + " … " + str.__getitem__(text, slice(-half, None))
        )
    return str.__getitem__(text, slice(None))


def describe_error(error: BaseException, most: int = 400) -> str:
    """`ValueError: too wide`, at most so many letters of it."""
    text = text_of(error)
    whole = f"{class_name_of(error)}: {text}" if text else class_name_of(error)
    return whole if len(whole) <= most else whole[: most - 1] + "…"


def format_traceback(error: BaseException) -> str:
    """An exception as Python prints it, that which it came from first; the end of it where that is long."""
    parts: list[str] = []
    found: BaseException | None = error
    while found is not None and len(parts) < _MOST_CAUSES:
        lines = "".join(_format_frames(_skip_own_frames(found.__traceback__)))
        parts.insert(0, f"{lines}{describe_error(found, MOST_LETTERS)}")
        found = found.__cause__ or found.__context__
    return "\n\n".join(parts)[-_LONGEST_TRACEBACK:]


def _format_frames(stack: TracebackType | None) -> list[str]:
    """Frames as Python prints them, without those by which torch calls a module, and lintorch an operator."""
    frames = traceback.extract_tb(stack)
    told = [frame for frame in frames if not _is_plumbing(frame)]
    return traceback.format_list(told or frames)


def _is_plumbing(frame: traceback.FrameSummary) -> bool:
    path = frame.filename.replace("\\", "/")
    return frame.filename.startswith(_OURS) or path.endswith(_PLUMBING)


def _skip_own_frames(stack: TracebackType | None) -> TracebackType | None:
    """A stack from where lintorch calls other code; as it is where it never does."""
    found = stack
    while found is not None and found.tb_frame.f_code.co_filename.startswith(_OURS):
        found = found.tb_next
    return found or stack


def is_of_memory(error: BaseException) -> bool:
    """Whether an exception, or one that it came from, is that there was no memory left."""
    seen: set[int] = set()
    found: BaseException | None = error
    while found is not None and id(found) not in seen:
        seen.add(id(found))
        if isinstance(found, MemoryError) or says_no_memory(text_of(found)):
            return True
        found = found.__cause__ or found.__context__
    return False


def says_no_memory(text: str) -> bool:
    """Whether the text of an exception is that there was no memory left."""
    return any(words in text for words in _NO_MEMORY)
