"""Several numbers that a docstring gives an argument for an example: `shape: that of the input, e.g. (192, 192, 192)`."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

_LARGEST, _LARGEST_OF_VOLUME = 64, 32
"""Pixels of a side of an image, and of a volume, that is made up."""


def find_documented_numbers(call: Callable[..., Any], name: str) -> tuple[int, ...]:
    """The numbers, large ones made smaller; () where no example is given."""
    told = f"{inspect.getdoc(call) or ''}\n{inspect.getdoc(getattr(call, '__init__', call)) or ''}"
    pattern = rf"\b{re.escape(name)}\b[^\n]{{0,200}}?\be\.g\.?,? *[(\[]((?:\d+, ?)+\d+),?[)\]]"
    found = re.search(pattern, told)
    numbers = [int(number) for number in re.findall(r"\d+", found[1])] if found else []
    most = _LARGEST_OF_VOLUME if len(numbers) > 2 else _LARGEST
    return tuple(min(number, most) for number in numbers)
