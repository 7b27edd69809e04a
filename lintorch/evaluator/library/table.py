"""The table from full names to what they do, and the way there."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeVar

from lintorch.evaluator.arithmetic import mix_arrays
from lintorch.evaluator.array_shapes import infer_array_shape
from lintorch.evaluator.array_types import infer_array_type
from lintorch.evaluator.items import item_of
from lintorch.evaluator.join import ITEMS
from lintorch.evaluator.layers import (
    CONTAINERS,
    call_layer,
    is_layer_class,
    keep_arguments,
    make_layer,
)
from lintorch.evaluator.machine import Machine, calls
from lintorch.evaluator.model_modes import tell_handled
from lintorch.evaluator.output_objects import is_output, make_output
from lintorch.evaluator.torch_calls import freeze_given, infer_result, tell_call
from lintorch.evaluator.truth import known_items
from lintorch.evaluator.values import (
    NONE,
    UNKNOWN,
    Array,
    External,
    Given,
    Held,
    Items,
    Number,
    Unknown,
    Value,
    Via,
)
from lintorch.evaluator.zoo_models import makes_zoo_model

Handler = Callable[[Machine, ast.AST, Given], Value]
H = TypeVar("H", bound=Handler)

LIBRARY: dict[str, Handler] = {}
SUFFIXES: dict[tuple[str, str], Handler] = {}
"""By package and last part of the name, for what packages have moved around."""
_PURE = frozenset(
    {
        "print", "repr", "str", "id", "hash", "format", "warnings.warn", "logging.info", "type",
        "isinstance", "hasattr", "callable", "open", "os.path.join", "input",
    }
)  # fmt: skip
"""Foreign functions that leave what they are given as it is."""


def does(*names: str) -> Callable[[H], H]:
    """Says which foreign functions a function carries out."""

    def register(handler: H) -> H:
        for name in names:
            LIBRARY[name] = handler
        return handler

    return register


@calls(External)
def call_external(machine: Machine, node: ast.AST, callee: External, given: Given) -> Value:
    """A call of what no file of the project defines."""
    path = machine.library.canonical(callee.path)
    tell_handled(machine, node, path, given)
    known = _describe_callee(path)
    handler = known.handler
    if handler is None and known.runs:
        held = given.pick(0)
        if isinstance(held, Held) and held.kind == "object":
            inputs = Given(given.positional[1:], given.keyword, given.open)
            return call_layer(machine, node, held, known.runs, inputs)
    if handler is None and known.is_method:
        handler = _find_method(machine, path, given)
    if handler is not None:
        result = handler(machine, node, given)
    elif known.begins:
        result = _begin_layer(machine, known.begins, given)
    elif known.is_layer:
        result = make_layer(machine, node, path, given)
    elif known.is_torch:
        result = _call_torch(machine, node, path, given)
    else:
        called = freeze_given(machine, given)  # as it was, ahead of what is made of it
        result = _call_foreign(machine, node, path, given)
        given = called
    if result is UNKNOWN:
        result = Unknown(f"{path}()")  # one of its own, so that what gave it can be told
    tell_call(machine, node, path, given, result)
    return result


@dataclass(frozen=True)
class _Callee:
    """What the name of a foreign function says of it."""

    handler: Handler | None
    runs: str
    """The layer whose forward it is."""
    begins: str
    """The layer whose constructor it is, called by name."""
    is_method: bool
    """Whether it is a method of a class of torch.nn."""
    is_layer: bool
    is_torch: bool


@lru_cache(4096)
def _describe_callee(path: str) -> _Callee:
    handler = LIBRARY.get(path) or SUFFIXES.get((path.partition(".")[0], path.rpartition(".")[2]))
    layer = path.removesuffix(".__init__")
    begins = layer if layer != path and is_layer_class(layer) else ""
    is_method = not begins and path.startswith("torch.nn.") and path.count(".") == 3
    runs, is_torch = _name_run_layer(path), path.startswith("torch.")
    return _Callee(handler, runs, begins, is_method, is_layer_class(path), is_torch)


def _name_run_layer(path: str) -> str:
    """The layer of which the forward is called by name, as `super().forward(x)` does; "" of anything else."""
    layer, _, method = path.rpartition(".")
    runs = method in ("forward", "__call__") and layer != "torch.nn.Module"
    return layer if runs and is_layer_class(layer) else ""


def _find_method(machine: Machine, path: str, given: Given) -> Handler | None:
    """A method of a container is that of any module; one that is not known may change what it holds."""
    handler = LIBRARY.get(f"torch.nn.Module.{path.rpartition('.')[2]}")
    held = given.pick(0)
    if handler is None and path.rpartition(".")[0] in CONTAINERS and isinstance(held, Held):
        machine.state.write(held.address)[ITEMS] = None
    return handler


def _begin_layer(machine: Machine, path: str, given: Given) -> Value:
    """`super().__init__(…)` of a class that derives from a layer."""
    made = given.pick(0)
    if isinstance(made, Held) and made.kind == "object":
        keep_arguments(machine, made, path, Given(given.positional[1:], given.keyword, given.open))
    return NONE


def _call_torch(machine: Machine, node: ast.AST, path: str, given: Given) -> Value:
    last = path.rpartition(".")[2]
    if last[:1].isupper() and not last.endswith("Tensor"):
        return machine.hold("object", {"lintorch arguments": given}, External(path))
    return infer_result(machine, node, path, given)


def _remember_sizes(
    machine: Machine, node: ast.AST, path: str, values: tuple[Value, ...], dtype: str | None
) -> Array:
    """An array that knows where it was made of sizes that vary."""
    mixed = replace(mix_arrays(values), dtype=dtype)
    sizes = [each for each in values if isinstance(each, Number) and not each.data]
    varying = next((each for each in sizes if each.varies and each.size is not None), None)
    if varying is None or path.startswith("numpy.ndarray."):
        return mixed
    via = Via(path, machine.spot(node), varying.size, varying.whole)
    return replace(mixed, via=mixed.via | {via})


def _call_foreign(machine: Machine, node: ast.AST, path: str, given: Given) -> Value:
    if path.startswith("numpy."):
        held = [each for each in given.values if isinstance(each, (Held, Items))]
        listed = [known_items(machine, each) or (item_of(machine, each),) for each in held]
        values = (*given.values, *(each for items in listed for each in items))
        made = _remember_sizes(machine, node, path, values, infer_array_type(machine, path, given))
        return replace(made, shape=infer_array_shape(machine, path, given))
    if path not in _PURE:
        for value in given.values:
            machine.spoil(value)
    if is_output(External(path)):
        return make_output(machine, path, given)
    named = path[:1].islower() and path.rpartition(".")[2][:1].isupper()
    if named or makes_zoo_model(path):
        return machine.hold("object", {"lintorch arguments": given}, External(path))
    return machine.unknown_from(External(path), "()")
