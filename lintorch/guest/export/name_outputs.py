"""Names for what a model gives back: as its forward calls them."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import textwrap
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import torch
from torch import nn

from lintorch.guest.watch.make_tensors import flatten_output

_ALONE = "output"
_OWN_NAMES = "lintorch_outputs"
"""Where a module of our own making keeps them."""


def name_outputs(module: nn.Module, output: Any, taken: Collection[str]) -> tuple[str, ...]:
    """One name for each tensor of an output, apart from those that are taken."""
    count = len(flatten_output(output))
    own = [*getattr(module, _OWN_NAMES, ())]
    found = own or [*_name_parts(output)] or [*_read_return(module, count)]
    if len(found) != count or not all(each.isidentifier() for each in found):
        found = [_ALONE] if count == 1 else [f"{_ALONE}_{number}" for number in range(count)]
    return tuple(_make_distinct(found, taken))


def _name_parts(output: Any) -> Iterator[str]:
    """The keys and fields of an output, where each holds one tensor."""
    if isinstance(output, Mapping):
        parts = dict(output)
    elif isinstance(output, tuple) and hasattr(output, "_fields"):
        parts = dict(zip(output._fields, output, strict=True))
    elif dataclasses.is_dataclass(output):
        parts = {f.name: getattr(output, f.name, None) for f in dataclasses.fields(output)}
    else:
        return
    for name, part in parts.items():
        inside = len(flatten_output(part))
        yield from [str(name)] if inside == 1 else [f"{name}_{n}" for n in range(inside)]


def _read_return(module: nn.Module, count: int) -> list[str]:
    """The variables that the last return of forward gives back; none where these are no names."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(type(module).forward)))
    except (OSError, TypeError, SyntaxError, IndentationError):
        return []
    values = [n.value for n in ast.walk(tree) if isinstance(n, ast.Return) and n.value is not None]
    for value in reversed(values):
        parts = value.elts if isinstance(value, (ast.Tuple, ast.List)) else [value]
        names = [part.id for part in parts if isinstance(part, ast.Name)]
        if len(names) == len(parts) == count:
            return names
    return []


def _make_distinct(names: Collection[str], taken: Collection[str]) -> Iterator[str]:
    """The same, with `_out` where an input is called so, and numbers where two are alike."""
    seen = {*taken}
    for name in names:
        alone = f"{name}_out" if name in taken else name
        number, told = 2, alone
        while told in seen:
            number, told = number + 1, f"{alone}_{number}"
        seen.add(told)
        yield told


def holds_tensors_alone(output: Any) -> bool:
    """Whether an output is a tensor, or tuples and lists of these."""
    if isinstance(output, (tuple, list)):
        return all(map(holds_tensors_alone, output))
    return isinstance(output, torch.Tensor)
