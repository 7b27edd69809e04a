"""What every line of Python needs, put back where user code has taken it away."""

from __future__ import annotations

import sys
from typing import Any

from lintorch.guest.process.error_text import describe_error

_STREAMS = ("stdin", "stdout", "stderr")
_LISTS = ("path", "meta_path", "path_hooks")
_NEEDED = frozenset({"sys", "builtins", "os", "torch", "torch.nn", "lintorch"})
_exit = sys.exit
_table = sys.modules
_modules: dict[str, Any] = {}
_streams: dict[str, Any] = {}
_lists: dict[str, list[Any]] = {}


class TamperedError(Exception):
    """User code failed after it had taken away what Python needs; the text says what."""


def tampering_error(lost: str, error: BaseException) -> TamperedError:
    """An exception for another that came after so much was lost, with its traceback."""
    text = f"it has taken away {lost}, then came {describe_error(error)}"
    return TamperedError(text).with_traceback(error.__traceback__)


def remember_interpreter() -> None:
    """Remember how this interpreter is now; what is taken away later lives on."""
    _modules.update(_table)
    _streams.update((name, getattr(sys, name)) for name in _STREAMS)
    _lists.update((name, list(getattr(sys, name))) for name in _LISTS)


def restore_interpreter() -> str:
    """Put back what is gone: "sys.stdout, 2000 modules"; "" where nothing is."""
    changed = []
    for name, stream in _streams.items():
        if stream is not None and not _is_stream(getattr(sys, name, None)):
            setattr(sys, name, stream)
            changed.append(f"sys.{name}")
    for name, kept in _lists.items():
        if kept and not (type(found := getattr(sys, name, None)) is list and found):
            setattr(sys, name, list(kept))
            changed.append(f"sys.{name}")
    if not callable(getattr(sys, "exit", None)):
        sys.exit = _exit
        changed.append("sys.exit")
    sys.modules = _table
    if (lost := _modules.keys() - _table.keys()) and lost & _NEEDED:
        _table.update((name, _modules[name]) for name in lost)
        changed.append(f"{len(lost)} modules")
    return ", ".join(changed)


def _is_stream(stream: object) -> bool:
    try:
        return hasattr(stream, "flush")
    except Exception:  # whatever user code raises
        return False
