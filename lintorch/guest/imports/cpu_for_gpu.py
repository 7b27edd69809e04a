"""Lets the user's code that asks for a GPU have the CPU: models run where there is no other device.

What `.cuda()` and `.to("cuda")` move stays; a device that a module of the user's keeps in a name, or
in the default of an argument, becomes the CPU. For what a model makes elsewhere by name
see `named_devices`.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator
from types import FunctionType, ModuleType
from typing import Any

import torch
from torch import nn
from torch.overrides import resolve_name

from lintorch.guest.imports.user_frames import get_user_code
from lintorch.guest.process.assumptions import note_assumption

_ELSEWHERE = frozenset(("cuda", "mps", "xpu", "hpu", "npu"))
_TYPES = (*("Float", "Double", "Half", "BFloat16", "Long", "Int", "Short", "Char", "Byte", "Bool"),)
STAYS = "lintorch_stays"
"""An attribute of the methods that stand in for torch's own."""
_noted: list[str] = []


def take_cpu_for_gpu() -> None:
    """Have all that is moved to a GPU stay where it is, from now on."""
    resolve_name(
        torch.Tensor.to
    )  # torch names its functions by what they are when it is first asked
    for kind in (torch.Tensor, nn.Module):
        if not hasattr(kind.cuda, STAYS):
            kind.cuda = _make_staying(kind.cuda)
            kind.to = _make_moving(kind.to)
    for name in _TYPES:
        setattr(torch.cuda, f"{name}Tensor", getattr(torch, f"{name}Tensor"))


def name_cpu(value: Any) -> Any:
    """The CPU for a device that is not there, by name or as an object; anything else as it is."""
    if type(value) is torch.device:
        return torch.device("cpu") if value.type in _ELSEWHERE else value
    kind, _, index = value.partition(":") if type(value) is str else ("", "", "")
    return "cpu" if kind in _ELSEWHERE and (not index or index.isdigit()) else value


def take_kept_devices() -> None:
    """Make the devices that loaded modules of the user's keep, and their functions by default, the CPU."""
    code = get_user_code()
    for module in list(sys.modules.values()):
        path = getattr(module, "__file__", None)
        if isinstance(module, ModuleType) and code is not None and code.is_user(path):
            _take_kept(module, code.shorten_path(str(path)))


def _take_kept(module: ModuleType, path: str) -> None:
    for name, value in list(vars(module).items()):
        if type(value) is torch.device and name_cpu(value) != value:
            setattr(module, name, name_cpu(value))
            note_cpu_taken(path)
        for function in _list_functions(value, module):
            _take_defaults(function, path)


def _list_functions(value: Any, module: ModuleType) -> Iterator[FunctionType]:
    """A function of this module, or the functions of a class of it, which may raise when it is asked."""
    held: tuple[Any, ...] = (value,)
    if issubclass(type(value), type):
        if type.__getattribute__(value, "__module__") != module.__name__:
            return
        held = tuple(type.__getattribute__(value, "__dict__").values())
    for each in held:
        if type(each) is FunctionType and each.__module__ == module.__name__:
            yield each


def _take_defaults(function: FunctionType, path: str) -> None:
    before, named = function.__defaults__ or (), function.__kwdefaults__ or {}
    after = tuple(map(name_cpu, before))
    function.__kwdefaults__ = {name: name_cpu(value) for name, value in named.items()} or None
    if after != before:
        function.__defaults__ = after
    if after != before or function.__kwdefaults__ != (named or None):
        note_cpu_taken(f"{path}:{function.__code__.co_firstlineno}")


def _make_staying(cuda: Callable[..., Any]) -> Any:
    @functools.wraps(cuda)
    def stay(self: Any, *args: Any, **kwargs: Any) -> Any:
        note_cpu_taken(_name_place())
        if isinstance(self, nn.Module) and "_parameters" in vars(self):
            self._apply(_keep)  # as to() does: refused of a layer made in forward
        return self

    setattr(stay, STAYS, True)
    return stay


def _keep(tensor: torch.Tensor) -> torch.Tensor:
    return tensor


def _make_moving(to: Callable[..., Any]) -> Any:
    @functools.wraps(to)
    def move(self: Any, *args: Any, **kwargs: Any) -> Any:
        place = args[0] if args else kwargs.get("device")
        if (cpu := name_cpu(place)) is place:
            return to(self, *args, **kwargs)
        note_cpu_taken(_name_place())
        if args:
            return to(self, cpu, *args[1:], **kwargs)
        return to(self, **{**kwargs, "device": cpu})

    setattr(move, STAYS, True)
    return move


def _name_place() -> str:
    code = get_user_code()
    return code.name_place() if code is not None else ""


def note_cpu_taken(place: str) -> None:
    """Say it with the model, once."""
    if place and not _noted:
        _noted.append(place)
        note_assumption(f"the CPU is taken wherever a GPU is asked for ({place})")
