"""Named tuples and dataclasses that models are fed: their fields, and their names as text."""

from __future__ import annotations

import dataclasses
import sys
from typing import Any

import torch


def list_record_fields(value: Any) -> tuple[str, ...]:
    """The fields of a named tuple or dataclass; () of anything else, and of a class itself."""
    if isinstance(value, (type, torch.Tensor)):
        return ()
    if isinstance(value, tuple):
        return tuple(getattr(value, "_fields", ()))
    if dataclasses.is_dataclass(value):
        return tuple(field.name for field in dataclasses.fields(value) if field.init)
    return ()


def name_record(kind: type) -> str:
    """`nets:Batch`."""
    return f"{kind.__module__}:{kind.__qualname__}"


def find_record(name: str) -> type | None:
    """The class of that name; None where no module that is imported has it."""
    module, _, path = name.partition(":")
    found: Any = sys.modules.get(module)
    for part in path.split("."):
        found = getattr(found, part, None)
    return found if isinstance(found, type) else None
