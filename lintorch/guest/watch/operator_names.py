"""The names of torch's functions as users write them, and their plain arguments by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import torch
from torch.overrides import get_testing_overrides, resolve_name

from lintorch.guest.imports.cpu_for_gpu import STAYS
from lintorch.guest.watch.watched_sizes import as_plain

Function = Callable[..., Any]
_FUNCTIONAL = "torch.nn.functional."
_MOST_VALUES = 16
_NOT_PLAIN = object()
_MAKERS = frozenset(("zeros", "ones", "empty", "rand", "randn"))
_RESHAPES = {"view": "shape", "reshape": "shape", "permute": "dims", "expand": "size"}
_RESHAPES |= {"repeat": "repeats", "new_zeros": "size", "new_ones": "size", "new_empty": "size"}
_QUIET = frozenset(
    [
        "dim",
        "ndimension",
        "stride",
        "storage_offset",
        "is_contiguous",
        "is_floating_point",
        "is_complex",
        "element_size",
        "get_device",
        "__hash__",
        "__repr__",
        "__format__",
        "type",
        "data_ptr",
        "untyped_storage",
        "has_names",
        "_set_grad_enabled",
        "is_tensor",
        "is_storage",
        "result_type",
        "can_cast",
        "promote_types",
        "__dir__",
    ]
)


def name_operator(function: Function) -> str:
    """Such as `torch.nn.functional.conv2d`, `torch.cat`, `torch.Tensor.add_`; "" for what does nothing."""
    if hasattr(function, STAYS):  # torch looks its methods up by name, and finds our own
        function = inspect.unwrap(function)
    try:
        return _name_of(function)
    except TypeError:  # not hashable
        return getattr(function, "__name__", "")


@cache
def _name_of(function: Function) -> str:
    short = getattr(function, "__name__", "")
    if short in _QUIET:
        return ""
    resolved = resolve_name(function) or ""
    if not resolved:
        resolved = f"{getattr(function, '__module__', None) or 'torch'}.{short}"
    return resolved.replace("torch.functional.", "torch.").replace("torch._C._nn.", _FUNCTIONAL)


def name_arguments(
    function: Function, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> dict[str, Any]:
    """Arguments that are plain values, by the names in the signature; defaults where they are known."""
    known = _signature(function)
    if known is None:
        return _kept(_by_position(function, args, kwargs))
    signature, exact = known
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError:
        return _kept(_by_position(function, args, kwargs))
    if exact:
        bound.apply_defaults()
    return _kept(bound.arguments)


def _signature(function: Function) -> tuple[inspect.Signature, bool] | None:
    try:
        return _known_signature(function)
    except (TypeError, ValueError):  # `x ** 2` wraps a builtin that has none
        return None


@cache
def _known_signature(function: Function) -> tuple[inspect.Signature, bool] | None:
    """The signature, and whether its defaults are the function's own."""
    if getattr(function, "__name__", "") in _RESHAPES:
        return None
    if inspect.isfunction(function) and "boolean_dispatch" not in function.__qualname__:
        return inspect.signature(function), True
    stand_in = get_testing_overrides().get(function)
    return None if stand_in is None else (inspect.signature(stand_in), False)


def _by_position(
    function: Function, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> dict[str, Any]:
    short = getattr(function, "__name__", "")
    if short in _RESHAPES or short in _MAKERS:
        given = args[1:] if short in _RESHAPES else args
        single = len(given) == 1 and isinstance(given[0], (tuple, list))
        name = _RESHAPES.get(short, "size")
        return {**({name: given[0] if single else given} if given else {}), **kwargs}
    return {**{f"argument{number}": value for number, value in enumerate(args)}, **kwargs}


def _kept(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: kept
        for name, value in arguments.items()
        if (kept := plain_argument(value)) is not _NOT_PLAIN
    }


def plain_argument(value: Any) -> Any:
    """A value in the form in which it is recorded; `_NOT_PLAIN` for tensors and objects."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, (int, float)):
        return as_plain(value)
    if isinstance(value, (torch.dtype, torch.device, torch.memory_format, slice)):
        return str(value)
    if value is Ellipsis:
        return "..."
    if isinstance(value, (tuple, list)) and len(value) <= _MOST_VALUES:
        parts = tuple(plain_argument(part) for part in value)
        return _NOT_PLAIN if any(part is _NOT_PLAIN for part in parts) else parts
    return _NOT_PLAIN
