"""Sizes given to NumPy: `np.prod(x.shape)` in the user's files tells that it was asked."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from lintorch.guest.watch.size_ranges import find_user_modules
from lintorch.guest.watch.user_lines import UserLines
from lintorch.guest.watch.watched_sizes import Sized, SizedFloat, hear_questions, tell_listener
from lintorch.record.events import SizeRead, SizeUse

_NUMPY = "numpy"
_MOST_NUMBERS = 16


@contextmanager
def report_arrays(files: UserLines, wanted: bool = True) -> Iterator[None]:
    """Within, the user's modules see a NumPy whose functions report sizes that they are given."""
    real = sys.modules.get(_NUMPY)
    seen = [
        (vars(module), name)
        for module in (find_user_modules(files) if wanted and real is not None else ())
        for name, value in [*vars(module).items()]
        if value is real
    ]
    for names, name in seen:
        names[name] = _NumPy(real)
    try:
        yield
    finally:
        for names, name in seen:
            names[name] = real


class _NumPy(ModuleType):
    """Stands in for the module; all but its functions is as it is there."""

    def __init__(self, real: Any) -> None:
        super().__init__(_NUMPY)
        vars(self).update(vars(real))
        self.__real = real

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        plain = name.startswith("_") or isinstance(found, type) or not callable(found)
        return found if plain else _Function(found)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__real, name)


class _Function:
    """Stands in for a function of NumPy."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        with hear_questions(None):  # what it asks of a size is not the user's question
            answer = self._function(*args, **kwargs)
        if holds_size((*args, *kwargs.values())):
            tell_listener(SizeRead, how=SizeUse.NUMPY, value=_numbers(answer))
        return answer

    def __getattr__(self, name: str) -> Any:
        return getattr(self._function, name)


def holds_size(value: Any) -> bool:
    """Whether a value is a size that reports, or a list or tuple with one in it."""
    if isinstance(value, (tuple, list)):
        return any(map(holds_size, value))
    return isinstance(value, (Sized, SizedFloat))


def _numbers(answer: Any) -> Any:
    """The numbers of an answer; where they are many, what tells them from those of other sizes."""
    if isinstance(answer, (int, float)):
        return answer
    if isinstance(answer, (tuple, list)):
        return [_numbers(each) for each in answer[:_MOST_NUMBERS]]
    if not hasattr(answer, "size") or answer.dtype.kind not in "biuf":
        return None
    if answer.size <= _MOST_NUMBERS:
        return answer.tolist()
    ends = f"from {answer.flat[0]} to {answer.flat[-1]}"
    return f"an array of shape {[*answer.shape]} {ends}, {answer.sum()} in all"
