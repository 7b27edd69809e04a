"""What is worked out of a node or a file, kept as long as that lives and no longer."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

_Key = TypeVar("_Key")
_More = ParamSpec("_More")
_Answer = TypeVar("_Answer")
_NOTHING = object()


def keep_beside(
    work: Callable[Concatenate[_Key, _More], _Answer],
) -> Callable[Concatenate[_Key, _More], _Answer]:
    """The same function, asked once for the same arguments: what it told is an attribute of the first.

    A cache of functools holds its arguments, and by a node or a file all of a tree. A file comes before
    its nodes: trees are shared, and would hold it.
    """

    @wraps(work)
    def ask(key: _Key, /, *more: _More.args, **named: _More.kwargs) -> _Answer:
        beside = vars(key)
        kept: dict[Any, _Answer] | None = beside.get("_kept_beside")
        if kept is None:
            kept = beside["_kept_beside"] = {}
        at: Any = (work, *more, *named.items()) if more or named else work
        found = kept.get(at, _NOTHING)
        if found is _NOTHING:
            found = kept[at] = work(key, *more, **named)
        return found  # type: ignore[return-value]

    return ask
