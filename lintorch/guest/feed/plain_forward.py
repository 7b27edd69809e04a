"""Models whose forward takes keywords, named tuples or dataclasses, called with plain arguments by position.

def forward(self, x, *, mask)          is called as  model(x, mask)
def forward(self, batch: Batch)        is called as  model({"image": …, "mask": …})
def forward(self, *input, mode)        is called as  model(users, items)
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from torch import nn

from lintorch.guest.calls.read_fed import list_named
from lintorch.guest.construct.record_classes import find_record
from lintorch.guest.feed.chosen_mode import ChosenMode, choose_mode
from lintorch.record.arguments import LeafPlace
from lintorch.record.models import FedArgument

_PLAN = "_lintorch_plain_forward"
Fields = tuple[tuple[str, FedArgument], ...]


@dataclass(frozen=True)
class PlainForward:
    """What becomes of arguments by position: `names` are the parameters that they are for.

    The first `leading` of them are passed on by position. `records` are the classes of mappings in
    them, by argument and place, and `fixed` is what is passed by name each time.
    """

    names: tuple[str, ...]
    leading: int
    records: Mapping[tuple[str, LeafPlace], type]
    fixed: Mapping[str, Any] = field(default_factory=dict)

    def rebuild(self, name: str, value: Any, place: LeafPlace = ()) -> Any:
        """The value with its records in the places of mappings."""
        if isinstance(value, dict):
            parts = {key: self.rebuild(name, part, (*place, key)) for key, part in value.items()}
            record = self.records.get((name, place))
            return parts if record is None else record(**parts)
        if type(value) in (list, tuple):
            each = (self.rebuild(name, part, (*place, n)) for n, part in enumerate(value))
            return type(value)(each)
        return value


def take_plain(module: nn.Module, fed: Fields) -> None:
    """Let a module that needs it be called with plain arguments by position; `fed` is what its project feeds it."""
    chosen = choose_mode(module)
    plan, signature = _plan_mode(chosen) if chosen else _make_plan(module, fed)
    if plan is None or find_plan(module) is not None or "forward" in vars(module):
        return
    kind = type(module)

    def forward(self: nn.Module, *given: Any, **named: Any) -> Any:
        every = {**dict(zip(plan.names, given, strict=False)), **named}
        made = {name: plan.rebuild(name, value) for name, value in every.items()}
        leading = [made.pop(name) for name in plan.names[: plan.leading] if name in made]
        return kind.forward(self, *leading, **made, **plan.fixed)

    told = inspect.unwrap(chosen.method) if chosen else kind.forward
    forward.__wrapped__ = told  # type: ignore[attr-defined]
    forward.__signature__ = signature  # type: ignore[attr-defined]
    body = {"forward": forward, _PLAN: plan, "__module__": kind.__module__, "__doc__": kind.__doc__}
    plain = type(kind.__name__, (kind,), body)
    plain.__qualname__ = kind.__qualname__
    module.__class__ = plain


def find_plan(module: nn.Module) -> PlainForward | None:
    """What a module does with plain arguments; None where it takes them as they are."""
    found = getattr(type(module), _PLAN, None)
    return found if isinstance(found, PlainForward) else None


def _plan_mode(chosen: ChosenMode) -> tuple[PlainForward, inspect.Signature]:
    """All that the method takes, by position, and the mode that chooses it."""
    given = [*inspect.signature(chosen.method).parameters.values()]
    names = tuple(parameter.name for parameter in given)
    plan = PlainForward(names, len(names), {}, {chosen.name: chosen.value})
    return plan, _write_signature(given)


def _make_plan(
    module: nn.Module, fed: Fields
) -> tuple[PlainForward, inspect.Signature] | tuple[None, None]:
    """The plan and the signature; None where arguments can be given as they are."""
    parameters = list(inspect.signature(module.forward).parameters.values())
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    given = [name for name, _ in fed]
    by_place = [p for p in parameters if p.kind in kinds]
    named = list_named(parameters, [name for name in given if name])
    wanted = [p for p in named if p.default is p.empty or p.name in given]
    records = _find_records(fed)
    if not wanted and not records:
        return None, None
    first = [p for p in by_place if p.kind is p.POSITIONAL_ONLY]
    rest = [p for p in by_place if p.kind is not p.POSITIONAL_ONLY] + wanted
    ordered = [*first, *sorted(rest, key=lambda p: p.default is not p.empty)]
    plan = PlainForward(tuple(p.name for p in ordered), len(first), records)
    return plan, _write_signature(ordered)


def _write_signature(ordered: Sequence[inspect.Parameter]) -> inspect.Signature:
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return inspect.Signature(
        [inspect.Parameter("self", kind), *(p.replace(kind=kind) for p in ordered)]
    )


def _find_records(fed: Fields) -> dict[tuple[str, LeafPlace], type]:
    found = {
        (name, each.at[:depth]): find_record(record)
        for name, each in fed
        for depth, record in enumerate(each.records)
        if record
    }
    return {key: kind for key, kind in found.items() if kind is not None}
