"""Methods that a subclass has still to write."""

from __future__ import annotations

import dis
import inspect
from types import CodeType
from typing import Any

_MOST_BYTES = 60
"""Bytes of bytecode up to which a body that names NotImplementedError does nothing but raise it.

In CPython 3.11 a bare raise has 16 and one with a text 32; the shortest that also computes has 62.
"""


def is_unwritten(forward: Any) -> bool:
    """Whether `forward` is torch's placeholder or only says that a subclass must write it."""
    code = getattr(inspect.unwrap(forward), "__code__", None)
    if code is None or code.co_name == "_forward_unimplemented":
        return True
    if "NotImplementedError" in code.co_names:
        return len(code.co_code) < _MOST_BYTES
    return _list_instructions(code) == _list_instructions(_do_nothing.__code__)


def _do_nothing(self: Any) -> None:
    pass


def _list_instructions(code: CodeType) -> list[tuple[str, Any]]:
    """What a code does, whatever its docstring."""
    return [(each.opname, each.argval) for each in dis.get_instructions(code)]
