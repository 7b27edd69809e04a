"""The value of what could not be worked out: it may be passed on, and nothing else."""

from __future__ import annotations

from argparse import Namespace
from types import SimpleNamespace
from typing import Any, NoReturn

from lintorch.guest.construct.found_settings import FoundSettings
from lintorch.guest.construct.literal_values import UnknownValueError


class UnknownValue:
    """Stands for a value that nobody knows; whatever is done with it raises UnknownValueError."""

    def _refuse(self, *given: Any, **named: Any) -> NoReturn:
        raise UnknownValueError("a value that is not known")

    __getattr__ = __call__ = __iter__ = __len__ = __bool__ = __getitem__ = __contains__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = _refuse
    __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = __int__ = __float__ = __index__ = __fspath__ = _refuse
    __neg__ = __enter__ = __str__ = __format__ = __matmul__ = __or__ = __and__ = _refuse
    __hash__ = object.__hash__

    def __exit__(self, *given: object) -> None:
        return None

    def __eq__(self, other: object) -> bool:
        self._refuse()

    def __repr__(self) -> str:
        return "?"


UNKNOWN = UnknownValue()


def holds_unknown(value: Any) -> bool:
    """Whether a value is not known, or is a list or tuple in which something is not."""
    if type(value) in (list, tuple):
        return any(map(holds_unknown, value))
    return isinstance(value, UnknownValue)


def drop_unknown(value: Any) -> Any:
    """Settings without those that are not known, which are made up when they are asked for; all else as it is."""
    if type(value) is dict and any(map(holds_unknown, value.values())):
        return FoundSettings({key: part for key, part in value.items() if not holds_unknown(part)})
    held = vars(value) if isinstance(value, (Namespace, SimpleNamespace)) else {}
    if not any(map(holds_unknown, held.values())):
        return value
    return type(value)(**{name: part for name, part in held.items() if not holds_unknown(part)})
