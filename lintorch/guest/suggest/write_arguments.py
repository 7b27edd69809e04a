"""Arguments made of expressions: lists, mappings, records, and those that are passed by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from torch import nn

from lintorch.guest.construct.record_classes import name_record
from lintorch.guest.feed.plain_forward import PlainForward, find_plan
from lintorch.record.arguments import LeafPlace, arrange_arguments
from lintorch.record.models import FedArgument

_PLAIN = """

class Plain(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, {names}):
        return self.model({arguments})


{name} = Plain(model)
"""


def write_plain(
    module: nn.Module, inputs: Sequence[FedArgument], spelled: Mapping[str, str], name: str
) -> str:
    """The statements that set `name` to what takes plain arguments by position, made of `model`."""
    plan = find_plan(module)
    if plan is None:
        return f"\n{name} = model\n"
    places = [given.name + "".join(f"[{step!r}]" for step in given.at) for given in inputs]
    passed = write_passed(module, arrange_arguments(inputs, places), spelled)
    names = ", ".join(plan.names[: len(passed) - len(plan.fixed)])
    return _PLAIN.format(names=names, arguments=", ".join(passed), name=name)


def write_plain_model(module: nn.Module, inputs: Sequence[FedArgument]) -> list[str]:
    """The same as lines of a program that has `named(module, class)` and goes on with `model`."""
    if find_plan(module) is None:
        return []
    spelled = {
        each: "named({!r}, {!r})".format(*each.split(":")) for each in list_record_names(module)
    }
    return write_plain(module, inputs, spelled, "model").splitlines()


def list_record_names(module: nn.Module) -> list[str]:
    """The classes `module:Class` of records that a module is fed."""
    plan = find_plan(module)
    return list(dict.fromkeys(map(name_record, plan.records.values()))) if plan else []


def write_passed(
    module: nn.Module, arguments: Sequence[Any], spelled: Mapping[str, str]
) -> list[str]:
    """Arguments made of expressions as a model's own forward takes them."""
    plan = find_plan(module)
    if plan is None:
        return [write_nested(each) for each in arguments]
    texts = [
        _write_records(plan, spelled, name, value, ())
        for name, value in zip(plan.names, arguments, strict=False)
    ]
    passed = [
        text if number < plan.leading else f"{name}={text}"
        for number, (name, text) in enumerate(zip(plan.names, texts, strict=False))
    ]
    return [*passed, *(f"{name}={value!r}" for name, value in plan.fixed.items())]


def _write_records(
    plan: PlainForward, spelled: Mapping[str, str], name: str, value: Any, place: LeafPlace
) -> str:
    if isinstance(value, dict):
        parts = {k: _write_records(plan, spelled, name, v, (*place, k)) for k, v in value.items()}
        record = plan.records.get((name, place))
        if record is None:
            return write_nested(parts)
        given = ", ".join(f"{key}={part}" for key, part in parts.items())
        return f"{spelled[name_record(record)]}({given})"
    if isinstance(value, (list, tuple)):
        parts_of = (
            _write_records(plan, spelled, name, v, (*place, n)) for n, v in enumerate(value)
        )
        return write_nested(type(value)(parts_of))
    return str(value)


def write_nested(argument: Any) -> str:
    """An argument made of expressions."""
    if isinstance(argument, dict):
        parts = (f"{key!r}: {write_nested(part)}" for key, part in argument.items())
        return "{" + ", ".join(parts) + "}"
    if isinstance(argument, (list, tuple)):
        inner = ", ".join(map(write_nested, argument))
        return f"[{inner}]" if isinstance(argument, list) else write_tuple([inner])
    return str(argument)


def write_tuple(parts: Sequence[str]) -> str:
    """Expressions as a tuple of them."""
    return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"
