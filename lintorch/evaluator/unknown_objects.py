"""Objects of which nothing is known but which ones they are: what is called on them, in order."""

from __future__ import annotations

import ast
from dataclasses import field

from lintorch.core.torch_methods import is_tensor_call
from lintorch.evaluator.asked_settings import make_asked
from lintorch.evaluator.conditions import name_lasting
from lintorch.evaluator.events import Occurrence
from lintorch.evaluator.frozen_records import frozen_record
from lintorch.evaluator.machine import Machine, calls, reads
from lintorch.evaluator.other_kinds import is_of_other_kind, list_own_methods
from lintorch.evaluator.values import (
    UNKNOWN,
    Bound,
    Constant,
    External,
    Function,
    Given,
    Held,
    Items,
    Tensor,
    Unknown,
    Value,
    name_setting,
)


@frozen_record
class UnknownMethod(Unknown):
    """What a name reached from something unknown stands for."""

    held: Value = UNKNOWN
    method: str = ""


@frozen_record
class ScaledLoss(Unknown):
    """What `scale` of an object gives, which may be a GradScaler."""

    scaler: Value = UNKNOWN


@frozen_record
class ModelOutput(Unknown):
    """What a model gives that is left closed, or one item of that."""

    model: Value = UNKNOWN
    item: int | None = None
    whole: Value | None = field(default=None, compare=False, repr=False)
    """Of an item: what the call gave."""


@frozen_record
class PartOutput(Unknown):
    """What an unknown part of a model makes of tensors in forward, or what is reached from that."""


_OF_TENSORS = frozenset({"numpy", "item", "tolist"})
"""Methods that read what such a value holds, which is a tensor then."""


@frozen_record
class UnknownCalled(Occurrence):
    """Something unknown was called: a method of `held`, or, where `method` is "", `held` itself."""

    held: Value
    method: str
    given: Given
    result: Value


PACKING = ("torch.nn.utils.rnn.pack_", "torch.nn.utils.rnn.PackedSequence")
"""Of what is no tensor, and recurrent layers take and give as it is."""


def _tells(machine: Machine) -> bool:
    return machine.marks or machine.tells_unknown


@reads(Unknown, UnknownMethod, ScaledLoss, ModelOutput, PartOutput)
def read_of_unknown(machine: Machine, node: ast.AST, held: Unknown, name: str) -> Value:
    """`unknown.name`; an attribute of a setting that nobody gives is such a setting too."""
    path = machine.unknown_from(held, f".{name}").path or f"?.{name}"
    if isinstance(held, PartOutput):
        tensor = Tensor(sure=False)
        read = Bound(External(f"torch.Tensor.{name}"), (tensor,), method=name)
        return read if name in _OF_TENSORS else PartOutput(path)
    if _tells(machine) or held.path.startswith(PACKING):
        return UnknownMethod(path, held, name)
    setting = name_setting(held)
    return make_asked(machine, f"{setting}.{name}") if setting else Unknown(path)


def read_missing(machine: Machine, held: Held, name: str) -> Value:
    """An attribute that an object must have from somewhere else."""
    if not _tells(machine):
        return UNKNOWN
    return UnknownMethod(f"{name_lasting(held)}.{name}", held, name)


@calls(Unknown, UnknownMethod, ScaledLoss, ModelOutput, PartOutput)
def call_unknown(machine: Machine, node: ast.AST, callee: Unknown, given: Given) -> Value:
    """A call of something unknown, which may change what it is given."""
    if not _tells(machine):
        result = _spoil_given(machine, callee, given)
        if isinstance(callee, UnknownMethod) and callee.path.startswith(PACKING):
            machine.tell(UnknownCalled, node, callee.held, callee.method, given, result)
        if isinstance(callee, PartOutput) or _is_part(machine, callee, given):
            result = PartOutput(result.path)
        if machine.names_unknown:
            _tell_by_path(machine, node, callee, given, result)
        return result
    held, method = callee, ""
    if isinstance(callee, UnknownMethod):
        held, method = callee.held, callee.method  # type: ignore[assignment]
    if method == "step":
        call_closures(machine, node, given)
    scales = method == "scale" and len(given.positional) == 1
    if isinstance(held, Unknown) and _is_of_tensor(machine, held, method, given):
        return call_method(machine, node, held, method, given)
    result = ScaledLoss("", held) if scales else _spoil_given(machine, callee, given)
    if result == UNKNOWN:
        result = Unknown("?()")  # one of its own, told from others
    machine.tell(UnknownCalled, node, held, method, given, result)
    return result


def _is_of_tensor(machine: Machine, held: Unknown, method: str, given: Given) -> bool:
    """Whether only tensors have such a method, and nothing says that this is something else."""
    if method in list_own_methods(machine.here.file):
        return False
    if is_of_other_kind(machine.here.node, held.path.strip("<>")):
        return False
    by_axis = _is_axis(given.keyword.get("dim"))
    count, named = len(given.positional), len(given.keyword)
    return not given.open and is_tensor_call(method, count, named, by_axis)


def _is_axis(value: Value | None) -> bool:
    if isinstance(value, Items):
        return bool(value.items) and all(map(_is_axis, value.items or ()))
    return isinstance(value, Constant) and type(value.value) is int


def call_method(machine: Machine, node: ast.AST, held: Unknown, method: str, given: Given) -> Value:
    """A method that only tensors have, of something unknown: it is a tensor, then."""
    function, tensor = External(f"torch.Tensor.{method}"), Tensor(arms=(held,))
    result = machine.call(node, Bound(function, (tensor,), method=method), given)
    machine.tell(UnknownCalled, node, held, method, given, result)
    return result


def _is_part(machine: Machine, callee: Unknown, given: Given) -> bool:
    """Whether forward gives tensors to an object that the constructor was given, or made of what is unknown."""
    fed = any(isinstance(each, Tensor) and each.data is not False for each in given.values)
    return fed and machine.here.forward and callee.path.endswith((")", ">"))


def _tell_by_path(
    machine: Machine, node: ast.AST, callee: Unknown, given: Given, result: Value
) -> None:
    """Where a model is built: a method of what is known by the way it was reached alone."""
    path, _, method = callee.path.rpartition(".")
    if path and method.isidentifier() and isinstance(node, ast.Call):
        machine.tell(UnknownCalled, node, Unknown(path), method, given, result)


def take_item(held: Value, index: int) -> Value | None:
    """One item of what a closed model gives; None of anything else."""
    if isinstance(held, ModelOutput) and held.item is None:
        return ModelOutput("", held.model, index, held)
    return None


def _spoil_given(machine: Machine, callee: Unknown, given: Given) -> Unknown:
    for value in given.values:
        machine.spoil(value)
    return machine.unknown_from(callee, "()")


def call_closures(machine: Machine, node: ast.AST, given: Given) -> None:
    """`optimizer.step(closure)` calls it."""
    for value in given.values:
        if isinstance(value, Function):
            machine.call(node, value, Given())
