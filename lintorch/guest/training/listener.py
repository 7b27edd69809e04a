"""An object in the place of a logger, a progress bar, a plot: it takes any call and does nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import nn
from torch.utils.data import DataLoader

_PASSED = (DataLoader, nn.Module, torch.optim.Optimizer)


class Listener:
    """Gives back what it wraps, as a progress bar does with a loader; else itself."""

    def __init__(self, name: str = "") -> None:
        self.__dict__["_name"] = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Listener(name)

    def __setattr__(self, name: str, value: Any) -> None:
        return None

    def __setitem__(self, key: Any, value: Any) -> None:
        return None

    def __getitem__(self, key: Any) -> Listener:
        return self

    def __call__(self, *given: Any, **named: Any) -> Any:
        if self._name == "backward" and given and isinstance(given[0], torch.Tensor):
            return given[0].backward()
        wrapped = [each for each in given if isinstance(each, (*_PASSED, enumerate, zip, range))]
        if wrapped:
            return wrapped[0] if len(wrapped) == 1 else tuple(wrapped)
        if len(given) == 1 and isinstance(given[0], (torch.Tensor, tuple, list)):
            return given[0]
        return Listener()

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __enter__(self) -> Listener:
        return self

    def __exit__(self, *error: object) -> None:
        return None

    def __format__(self, spec: str) -> str:
        return ""

    def __float__(self) -> float:
        return 0.0

    def __int__(self) -> int:
        return 0

    __index__ = __int__

    def __len__(self) -> int:
        return 0

    def __bool__(self) -> bool:
        return True
