"""What a call feeds a model, as inputs by the names of `forward`'s parameters."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import nn

from lintorch.guest.calls.find_model_calls import ModelCall, list_feeding_names
from lintorch.guest.calls.unknown_value import UNKNOWN
from lintorch.guest.construct.record_classes import list_record_fields, name_record
from lintorch.record.arguments import TUPLE, LeafPlace
from lintorch.record.models import FedArgument, Input, PlainArgument
from lintorch.record.plain_values import is_plain

Find = Callable[[ast.expr], Any]
_LONGEST_AXIS = 5000
"""Tensors with a longer axis than this are not fed, but for sequences of numbers."""
_MOST_ELEMENTS = 16_000_000
_MOST_LEAVES = 64


def read_fed(call: ModelCall, find: Find) -> tuple[list[Any], dict[str, Any]]:
    """The arguments that a call gives the model, by position and by name; unknown ones are UNKNOWN."""
    node = call.placed.node
    if call.feeding == "none":
        return [], {}
    if call.feeding == "direct":
        return _read_arguments(node.args, node.keywords, find)
    if call.feeding == "rest":
        return _read_arguments(node.args[1:], [], find)
    named = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
    names = list_feeding_names(call)
    given = next((named[name] for name in names if name in named), None)
    if given is None and len(node.args) > 1:
        given = node.args[1]
    kwargs = named.get("kwargs") or named.get("example_kwarg_inputs")
    by_name = find(kwargs) if kwargs is not None else {}
    by_name = dict(by_name) if isinstance(by_name, Mapping) else {}
    if given is None:
        return [], by_name
    if call.feeding in ("size", "batched size") and "input_data" not in named:
        return _read_sizes(find(given), call), by_name
    return _read_tuple(given, find, by_name)


def _read_arguments(
    args: Sequence[ast.expr], keywords: Sequence[ast.keyword], find: Find
) -> tuple[list[Any], dict[str, Any]]:
    positional: list[Any] = []
    for part in args:
        if not isinstance(part, ast.Starred):
            positional.append(find(part))
            continue
        several = find(part.value)
        if not isinstance(several, (list, tuple)):
            break
        positional += several
    named: dict[str, Any] = {}
    for keyword in keywords:
        value = find(keyword.value)
        if keyword.arg:
            named[keyword.arg] = value
        elif isinstance(value, Mapping):
            named |= {str(name): part for name, part in value.items()}
    return positional, named


def _read_tuple(
    node: ast.expr, find: Find, by_name: dict[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """The arguments in a tuple, of which the last may hold keywords; one tensor is one argument."""
    if isinstance(node, (ast.Tuple, ast.List)):
        value: Any = [find(part) for part in node.elts]
    else:
        value = find(node)
    if not isinstance(value, (list, tuple)):
        return [value], by_name
    if len(value) > 1 and isinstance(value[-1], dict):
        return list(value[:-1]), {**value[-1], **by_name}
    return list(value), by_name


def _read_sizes(value: Any, call: ModelCall) -> list[Any]:
    """Tensors of the sizes that a summary is given: one size, or one for each argument."""
    if isinstance(value, torch.Tensor):
        return [value]
    several = isinstance(value, (list, tuple)) and value and isinstance(value[0], (list, tuple))
    sizes = list(value) if several else [value]
    batched = call.feeding == "size" and _has_batch(call)
    shapes = [_read_shape(size) for size in sizes]
    if not all(shapes):
        return [UNKNOWN]
    return [torch.zeros(shape if batched else (1, *shape), device="meta") for shape in shapes]


def _has_batch(call: ModelCall) -> bool:
    """Whether sizes hold the batch, as they do for torchinfo and not for torchsummary."""
    imports = (n for n in ast.walk(call.text.tree) if isinstance(n, (ast.Import, ast.ImportFrom)))
    return any("torchinfo" in ast.unparse(node) for node in imports)


def _read_shape(value: Any) -> tuple[int, ...]:
    if isinstance(value, (list, tuple)) and all(type(size) is int and size > 0 for size in value):
        return tuple(value)
    return ()


def name_fed(
    positional: Sequence[Any], named: Mapping[str, Any], kind: type[nn.Module]
) -> tuple[tuple[str, FedArgument], ...]:
    """What is fed by the names of the parameters; nothing where one that is needed is not known."""
    parameters = list(inspect.signature(kind.forward).parameters.values())[1:]
    plain = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if len(positional) > len(plain):
        return ()
    given = {p.name: value for p, value in zip(plain, positional, strict=False)} | dict(named)
    found: list[tuple[str, FedArgument]] = []
    for parameter in (*plain, *list_named(parameters, named)):
        value = given.get(parameter.name, parameter.default)
        parts = tuple(_list_parts(parameter.name, value))
        if parameter.default is parameter.empty and not parts:
            return ()
        if parts and not _is_default(value, parameter):
            found += [(parameter.name, part) for part in parts]
    return tuple(found) if any(isinstance(part, Input) for _, part in found) else ()


def name_known(
    positional: Sequence[Any], named: Mapping[str, Any], kind: type[nn.Module]
) -> tuple[Input, ...]:
    """The tensors that are known of what is fed, where others are not: a graph beside data of a loader."""
    found = (
        part
        for parameter, value in _pair_known(positional, named, kind)
        if isinstance(value, torch.Tensor)
        for part in _list_parts(parameter.name, value)
    )
    return tuple(part for part in found if isinstance(part, Input))


def name_plain(
    positional: Sequence[Any], named: Mapping[str, Any], kind: type[nn.Module]
) -> tuple[PlainArgument, ...]:
    """What is passed for parameters without a default and is no tensor: None in place of a mask."""
    return tuple(
        PlainArgument(parameter.name, repr(value))
        for parameter, value in _pair_known(positional, named, kind)
        if parameter.default is parameter.empty and is_plain(value)
    )


def _pair_known(
    positional: Sequence[Any], named: Mapping[str, Any], kind: type[nn.Module]
) -> Iterator[tuple[inspect.Parameter, Any]]:
    """Each parameter that may be given by its place, with what it is given."""
    parameters = list(inspect.signature(kind.forward).parameters.values())[1:]
    plain = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    given = {p.name: value for p, value in zip(plain, positional, strict=False)} | dict(named)
    yield from ((p, given.get(p.name, UNKNOWN)) for p in plain)


def list_named(
    parameters: Sequence[inspect.Parameter], given: Collection[str]
) -> list[inspect.Parameter]:
    """What is passed by name alone: parameters after `*`, and those among `given` that `**` takes."""
    kinds = {p.kind for p in parameters}
    if inspect.Parameter.VAR_POSITIONAL in kinds:
        return []
    alone = [p for p in parameters if p.kind is p.KEYWORD_ONLY]
    taken = {p.name for p in parameters}
    if inspect.Parameter.VAR_KEYWORD in kinds:
        more = (name for name in given if name not in taken and name.isidentifier())
        alone += [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in dict.fromkeys(more)
        ]
    return alone


def _is_default(value: Any, parameter: inspect.Parameter) -> bool:
    plain = value is None or isinstance(value, (bool, int, float, str))
    return plain and type(value) is type(parameter.default) and bool(value == parameter.default)


def _list_parts(name: str, value: Any) -> Iterator[FedArgument]:
    """The tensors and plain values of an argument; none where it holds anything else."""
    leaves = list(_list_fields(value))
    tensors = any(isinstance(leaf, torch.Tensor) for _, _, leaf in leaves)
    if not tensors and is_plain(value):
        yield PlainArgument(name, repr(value))
    if len(leaves) > _MOST_LEAVES or not tensors:
        return
    if not all(_is_fed(place, leaf) for place, _, leaf in leaves):
        return
    for place, records, leaf in leaves:
        records = records if any(records) else ()
        if isinstance(leaf, torch.Tensor):
            low, high = _find_bounds(leaf)
            dtype = str(leaf.dtype).removeprefix("torch.")
            yield Input(name, dtype, tuple(leaf.shape), low, high, place, records=records)
        else:
            yield PlainArgument(name, repr(leaf), place, records)


def _list_fields(
    value: Any, place: LeafPlace = (), records: tuple[str, ...] = ()
) -> Iterator[tuple[LeafPlace, tuple[str, ...], Any]]:
    """The places, records and leaves of lists, mappings, named tuples and dataclasses."""
    fields = list_record_fields(value)
    if fields:
        kind = name_record(type(value))
        parts: list[tuple[Any, Any]] = [(name, getattr(value, name)) for name in fields]
    elif isinstance(value, dict):
        kind, parts = "", list(value.items())
    elif isinstance(value, (list, tuple)):
        kind, parts = TUPLE if type(value) is tuple else "", list(enumerate(value))
    else:
        yield place, records, value
        return
    for key, part in parts:
        yield from _list_fields(part, (*place, key), (*records, kind))


def _is_fed(place: LeafPlace, leaf: Any) -> bool:
    if not all(type(step) in (int, str) for step in place):
        return False
    return _is_small(leaf) if isinstance(leaf, torch.Tensor) else is_plain(leaf)


def _is_small(tensor: torch.Tensor) -> bool:
    fits = tensor.dim() <= 3 or all(size < _LONGEST_AXIS for size in tensor.shape)
    return fits and 0 < tensor.numel() <= _MOST_ELEMENTS


def _find_bounds(tensor: torch.Tensor) -> tuple[int, int]:
    """The least value of whole numbers and the one after the greatest; 0, 0 for others."""
    kept = getattr(tensor, "lintorch_bounds", None)
    if kept is not None:
        return int(kept[0]), int(kept[1])
    if tensor.is_floating_point() or tensor.is_complex() or tensor.dtype is torch.bool:
        return 0, 0
    if tensor.is_meta:
        return 0, 0
    return int(tensor.min()), int(tensor.max()) + 1
