"""What is loaded in the place of weights that are not here: it leaves a model's own as they are."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, NoReturn

import torch
from torch import nn
from torch.nn.modules.module import _IncompatibleKeys

from lintorch.guest.process.assumptions import note_assumption

_missed: list[str] = []
_load = nn.Module.load_state_dict
_load_steps = torch.optim.Optimizer.load_state_dict


class MissingWeightsError(AttributeError):
    """Code needs the very values of weights that are not here."""


class NothingToLoad(OrderedDict[str, Any]):
    """An empty checkpoint, all whose parts are empty, too. `name` is that of the file."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.__dict__["lintorch_name"] = name

    def __missing__(self, key: str) -> NothingToLoad:
        return NothingToLoad(self.lintorch_name)

    def get(self, key: str, default: Any = None) -> Any:
        """The default, else what `[key]` gives."""
        return NothingToLoad(self.lintorch_name) if default is None else default

    def pop(self, key: str, default: Any = None) -> Any:
        """As `get`."""
        return self.get(key, default)

    def copy(self) -> NothingToLoad:
        """Another one."""
        return NothingToLoad(self.lintorch_name)

    def __getattr__(self, name: str) -> Any:
        if name == "lintorch_name" or name.startswith("__"):
            raise AttributeError(name)
        return _refuse(self.lintorch_name)

    @classmethod
    def __torch_function__(
        cls, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        if getattr(function, "__name__", "") == "copy_":
            return args[0]
        leaves = torch.utils._pytree.tree_leaves((args, kwargs), is_leaf=_is_nothing)
        return _refuse(next(leaf.lintorch_name for leaf in leaves if _is_nothing(leaf)))


def miss_weights(name: str, place: str, why: str = "is not here") -> NothingToLoad:
    """An empty checkpoint for the file of this name, which `place` asks for."""
    note_missed(name, place, why)
    return NothingToLoad(name)


def note_missed(name: str, place: str, why: str = "is not here") -> None:
    """Say that weights are not loaded, and why."""
    _missed.append(name)
    note_assumption(f"random weights: {name} {why} ({place})")


def has_missed_weights() -> bool:
    """Whether weights were asked for that are not here."""
    return bool(_missed)


def leave_weights_missed() -> None:
    """Have modules and optimizers take weights and states that are not here for their own."""
    nn.Module.load_state_dict = _load_what_is_there
    torch.optim.Optimizer.load_state_dict = _keep_steps


def _keep_steps(self: torch.optim.Optimizer, state_dict: Any) -> None:
    if not isinstance(state_dict, NothingToLoad):
        _load_steps(self, state_dict)


def _load_what_is_there(self: nn.Module, state_dict: Any, *args: Any, **kwargs: Any) -> Any:
    if isinstance(state_dict, NothingToLoad):
        return _IncompatibleKeys([], [])
    if _missed and isinstance(state_dict, Mapping):
        there = {key: value for key, value in state_dict.items() if not _is_nothing(value)}
        if not there:
            return _IncompatibleKeys([], [])
        if len(there) < len(state_dict):
            return _load(self, there, strict=False)
    return _load(self, state_dict, *args, **kwargs)


def _is_nothing(value: Any) -> bool:
    return isinstance(value, NothingToLoad)


def _refuse(name: str) -> NoReturn:
    raise MissingWeightsError(f"needs the values in {name}, which is not here")
