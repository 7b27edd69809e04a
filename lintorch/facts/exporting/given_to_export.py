"""What an export call is given as model and inputs, under one pair of names for all exporters."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import name_given
from lintorch.evaluator.values import Class, Held, Items, Tensor, Value
from lintorch.facts.exporting.declared_sizes import find_forward, list_inputs, list_pairs

_TRACE = "torch.jit.trace"


def read_given(event: Called) -> Mapping[str, Value]:
    """The first two arguments, under one pair of names for all exporters."""
    given = name_given(event)
    model = next((given[n] for n in ("mod", "model", "func") if n in given), None)
    inputs = next((given[n] for n in ("args", "example_inputs") if n in given), None)
    found = {"model": model, "inputs": inputs}
    return {name: value for name, value in found.items() if value is not None}


def list_given(event: Called, given: Mapping[str, Value]) -> list[tuple[str, Value]] | None:
    """The inputs, with the names of those that are given by name; None where they are not all known."""
    inputs, every = given.get("inputs"), name_given(event)
    named = every.get("example_kwarg_inputs") if event.name == _TRACE else every.get("kwargs")
    last = inputs.items[-1] if isinstance(inputs, Items) and inputs.items else None
    if isinstance(last, Items) and last.kind == "dict":
        return None  # keywords by an old custom, or an argument
    if inputs is None:
        return None
    found = {"args": inputs} | ({"kwargs": named} if named is not None else {})
    return list_inputs(found)


def list_needed(written: ast.FunctionDef, by_place: Sequence[str]) -> list[str]:
    """The parameters without a default, those by name last."""
    given = written.args
    named = zip(given.kwonlyargs, given.kw_defaults, strict=True)
    first = by_place[: len(by_place) - len(given.defaults)]
    return [*first, *(each.arg for each, default in named if default is None)]


def is_inputs(value: Value | None) -> bool:
    """Whether it surely is a tensor or a tuple of tensors."""
    if isinstance(value, Items):
        return bool(value.items) and all(is_inputs(each) for each in value.items or ())
    return isinstance(value, Tensor) and value.sure


def is_model(held: Held) -> bool:
    """Whether it is an object of a class with a forward."""
    return isinstance(held.of, Class) and has_forward(held.of)


def has_forward(model: Class) -> bool:
    """Whether a class has a forward of its own."""
    names = (getattr(each, "name", "") for each in model.node.body)
    return "forward" in names


def is_by_name(event: Called, mapping: Items, before: int) -> bool:
    """Whether all keys are parameters of forward that nothing else fills, and more than a mapping is asked for."""
    forward = find_forward(read_given(event).get("model"))
    keys = [key for key, _ in list_pairs(mapping)]
    if forward is None or not keys or forward.takes_more:
        return False
    left = forward.single[before:]
    values = [value for _, value in list_pairs(mapping)]
    return set(keys) <= set(left) and all(isinstance(each, Tensor) for each in values)
