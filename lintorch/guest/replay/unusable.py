"""A value that shows whether a value is used at all: who computes with it, or asks it anything, fails."""

from __future__ import annotations

from typing import Any


def _used(self: object, *rest: object, **named: object) -> Any:
    raise TypeError("this value is used")


class Unusable:
    """A value of which every use raises."""


_USES = "bool eq ne lt le gt ge hash str repr format len iter getitem setitem contains call"
_USES += " int float index add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod"
_USES += " pow rpow neg abs and or xor rand ror getattr enter torch_function array deepcopy"
for _use in _USES.split():
    setattr(Unusable, f"__{_use}__", _used)
