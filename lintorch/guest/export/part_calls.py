"""What the parts of a module are called with when it runs, and each part as something to export alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn

from lintorch.record.arguments import arrange_arguments
from lintorch.record.models import FedArgument, Input
from lintorch.record.outcomes import Variation

_CallArguments = tuple[tuple[Any, ...], dict[str, Any]]


@dataclass(frozen=True)
class Part:
    """A module inside another, with the tensors of its first call; axes that vary are named."""

    name: str
    module: nn.Module
    inputs: tuple[FedArgument, ...]
    example: tuple[Any, ...]
    others: Mapping[Variation, tuple[Any, ...]]
    """What it is called with at the other sizes of the model, by what is changed there."""


def list_parts(whole: Part) -> Iterator[Part]:
    """The parts that a module calls itself, in the order of the module, with copies of what they got.

    Raises what the module raises.
    """
    first = _record_calls(whole, whole.example)
    others = {group: _record_calls(whole, example) for group, example in whole.others.items()}
    for name, module in unwrap_part(whole.module).named_modules():
        if name not in first:
            continue
        given = tuple(_list_tensors(first[name]))
        called = {
            group: tuple(_list_tensors(calls[name]))
            for group, calls in others.items()
            if name in calls
        }
        varied = {group: each for group, each in called.items() if len(each) == len(given)}
        alone = module if _has_tensors_only(first[name]) else PartAlone(module, first[name])
        apart = [*varied.values()]
        inputs = tuple(_describe_input(number, given, apart) for number in range(len(given)))
        yield Part(f"{whole.name}.{name}".removeprefix("."), alone, inputs, given, varied)


class PartAlone(nn.Module):  # type: ignore[misc]
    """A part whose arguments are tensors; the others are as in the call that was recorded."""

    def __init__(self, part: nn.Module, call: _CallArguments) -> None:
        super().__init__()
        self.part = part
        self._call = _map_leaves(call, lambda _: _Slot())
        self.train(part.training)

    def forward(self, *tensors: torch.Tensor) -> Any:
        """What the part gives back."""
        left = iter(tensors)
        args, kwargs = _map_leaves(self._call, lambda _: next(left), _Slot)
        return self.part(*args, **kwargs)


class _Slot:
    """The place of a tensor."""


@dataclass
class _CallRecorder:
    """The first call of each module that is called from the outermost one itself."""

    found: dict[str, _CallArguments] = field(default_factory=dict)
    depth: int = 0

    def enter_module(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Note the first call of a module; its tensors are copied, as it may write into them."""
        if self.depth == 1 and name not in self.found:
            self.found[name] = _map_leaves((args, kwargs), lambda value: value.detach().clone())
        self.depth += 1

    def leave_module(self) -> None:
        """Note that the call entered last has ended."""
        self.depth -= 1


def unwrap_part(module: nn.Module) -> nn.Module:
    """What is looked into: a part itself, not what holds its other arguments."""
    return module.part if isinstance(module, PartAlone) else module


def _record_calls(whole: Part, example: Sequence[Any]) -> dict[str, _CallArguments]:
    recorder = _CallRecorder()
    handles = []
    for name, part in unwrap_part(whole.module).named_modules():

        def before(_: Any, args: Any, kwargs: Any, name: str = name) -> None:
            recorder.enter_module(name, args, kwargs)

        def after(*_: Any) -> None:
            recorder.leave_module()

        handles.append(part.register_forward_pre_hook(before, with_kwargs=True))
        handles.append(part.register_forward_hook(after, always_call=True))
    try:
        with torch.no_grad():
            whole.module(*arrange_arguments(whole.inputs, example))
    finally:
        for handle in handles:
            handle.remove()
    return recorder.found


def _has_tensors_only(call: _CallArguments) -> bool:
    args, kwargs = call
    return not kwargs and all(isinstance(value, torch.Tensor) for value in args)


def _map_leaves(value: Any, change: Any, kind: type = torch.Tensor) -> Any:
    """The same tuples, lists and mappings with each leaf of a kind changed."""
    if isinstance(value, kind):
        return change(value)
    if type(value) in (tuple, list):
        return type(value)(_map_leaves(part, change, kind) for part in value)
    if type(value) is dict:
        return {key: _map_leaves(part, change, kind) for key, part in value.items()}
    return value


def _list_tensors(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif type(value) in (tuple, list, dict):
        for part in value.values() if type(value) is dict else value:
            yield from _list_tensors(part)


def _describe_input(
    number: int, given: tuple[torch.Tensor, ...], varied: Sequence[tuple[torch.Tensor, ...]]
) -> Input:
    """An input whose axes have names where their size is another at other sizes of the model."""
    tensor = given[number]
    shape = tuple(
        f"size{axis}"
        if any(_is_other_size(each[number], tensor, axis) for each in varied)
        else tensor.shape[axis]
        for axis in range(tensor.dim())
    )
    return Input(f"input{number}", str(tensor.dtype).removeprefix("torch."), shape)


def _is_other_size(other: torch.Tensor, tensor: torch.Tensor, axis: int) -> bool:
    return other.dim() == tensor.dim() and bool(other.shape[axis] != tensor.shape[axis])
