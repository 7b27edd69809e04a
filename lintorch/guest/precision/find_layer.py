"""The first layer whose error alone explains that of the output."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from lintorch.guest.beside.distances import measure_distance
from lintorch.guest.beside.layer_calls import LayerCall, record_calls
from lintorch.guest.export.module_state import copy_module
from lintorch.guest.precision.measured_eager import MeasuredEager
from lintorch.guest.process.deadline import clock
from lintorch.guest.watch.make_tensors import flatten_output
from lintorch.guest.watch.user_lines import UserLines
from lintorch.record.arguments import arrange_arguments
from lintorch.record.file_comparisons import Distance, LayerNumbers
from lintorch.record.models import Model
from lintorch.record.sites import Site

_SHARE = 0.5
"""Of the output's error, that a layer's alone has to make."""
_WRAPPERS = ("", "part.", "module.", "module.part.")
"""What stands before a layer's name where the model was exported inside another module."""
_MOST = 4.0
"""Times the output's error: a value that makes more is another's, such as the integers before they are scaled."""


@dataclass(frozen=True)
class LayerValue:
    """What a call of a layer gives in the type; `given` is how far off what it takes is, where that is known."""

    told: LayerNumbers
    value: torch.Tensor
    given: Distance | None = None

    @property
    def is_given(self) -> bool:
        """Whether its error is in what it takes already, and more there than rounding it makes."""
        if self.given is None or self.given.amount == 0.0:
            return False
        own, taken = self.told.distance.relative, self.given.relative
        if taken is None or own is None:
            return taken is None
        return taken > torch.finfo(self.value.dtype).eps and taken >= own * _SHARE


def find_first_layer(
    eager: MeasuredEager,
    module: nn.Module,
    values: Sequence[LayerValue],
    whole: Distance,
    late: float,
) -> LayerValue | None:
    """Put each layer's value in its place in a run in float32, until half of the output's error is there.

    `module` is the one in float32, and `whole` how far the output is off. None where no layer's
    value makes that much, nothing is off, or `clock()` is past `late`.
    """
    if whole.amount == 0.0:
        return None
    sizes = eager.model.sizes
    arguments = arrange_arguments(eager.exact.model.inputs, eager.exact.make_inputs(sizes))
    for each in values:
        if clock() > late:
            return None
        given = _run_with_value(module, arguments, each.told, each.value)
        if _explains(eager.measure(sizes, given), whole):
            return each
    return None


def _explains(found: Distance, whole: Distance) -> bool:
    """Whether the output is off by half as much or more, and not by what the file cannot have there."""
    if found.amount is None or whole.amount is None:
        return found.amount is whole.amount
    return _SHARE * whole.amount <= found.amount <= _MOST * whole.amount


def _run_with_value(
    module: nn.Module, arguments: Sequence[Any], told: LayerNumbers, value: torch.Tensor
) -> list[torch.Tensor]:
    """What the model gives where the n-th call of a layer gives a value."""
    calls = 0

    def exchange(part: nn.Module, args: Any, out: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls != told.call or not isinstance(out, torch.Tensor):
            return None
        return value.to(out.dtype).reshape(out.shape)

    with copy_module(module) as copied, torch.no_grad():
        handle = copied.get_submodule(told.name).register_forward_hook(exchange)
        try:
            return flatten_output(copied(*arguments))
        finally:
            handle.remove()


def list_typed_layers(
    exact: tuple[nn.Module, Model],
    typed: tuple[nn.Module, Model],
    given: tuple[Sequence[Any], Sequence[Any]],
    files: UserLines,
    built: Mapping[str, Site],
) -> Iterator[LayerValue]:
    """What each layer that holds no other gives in the type, beside float32; both are called alike."""
    (own, model), (other, cast) = exact, typed
    mine = record_calls(own, arrange_arguments(model.inputs, given[0]), {}, files)
    theirs = record_calls(other, arrange_arguments(cast.inputs, given[1]), {}, None)
    for left, right in zip(mine, theirs, strict=False):
        if (left.name, left.number) != (right.name, right.number):
            return
        if not left.leaf or len(left.outputs) != 1 or len(right.outputs) != 1:
            continue
        if left.outputs[0].is_floating_point():
            between = left.inputs and left.takes[0] < 0  # no layer's output as it is
            taken = measure_distance(left.inputs, right.inputs) if between else None
            yield _tell_value(left, right.outputs[0], built, taken)


def list_read_layers(
    module: nn.Module,
    model: Model,
    given: Sequence[Any],
    read: Mapping[str, torch.Tensor],
    files: UserLines,
    built: Mapping[str, Site],
) -> Iterator[LayerValue]:
    """What an export says that its layers give, beside the first call of each in float32."""
    for call in record_calls(module, arrange_arguments(model.inputs, given), {}, files):
        value = next(
            (read[f"{w}{call.name}"] for w in _WRAPPERS if f"{w}{call.name}" in read), None
        )
        if value is None or not call.leaf or call.number != 1 or len(call.outputs) != 1:
            continue
        if call.outputs[0].is_floating_point() and value.numel() == call.outputs[0].numel():
            yield _tell_value(call, value.reshape(call.outputs[0].shape), built)


def _tell_value(
    call: LayerCall, value: torch.Tensor, built: Mapping[str, Site], given: Distance | None = None
) -> LayerValue:
    """A value beside that of a call in float32."""
    distance = measure_distance(call.outputs, [value])
    kind, at = type(call.module).__name__, built.get(call.name)
    told = LayerNumbers(call.name, kind, "", "", distance, call.number, at, call.called)
    return LayerValue(told, value, given)
