"""Sequentials that are made and that nothing runs: whether their layers can follow each other at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from lintorch.evaluator.budget import SpentError
from lintorch.evaluator.events import Called, IdleRow, Occurrence, Refused
from lintorch.evaluator.join import ITEMS
from lintorch.evaluator.machine import LeftError, Machine
from lintorch.evaluator.operators.arguments import make_fresh
from lintorch.evaluator.values import External, Given, Held, Tensor, Value

_ROW = "torch.nn.Sequential"
_OF_ANY_RANK = ("Linear", "LayerNorm", "RMSNorm", "Embedding")
_RANKS = (2, 3, 4)


def try_idle_rows(machine: Machine) -> None:
    """Run each on a tensor of which nothing is known, and tell what happens as one event."""
    for made, event in [*_list_idle(machine)]:
        if made.address not in machine.run:
            happened = _try_row(machine, made, event)
            machine.events.append(IdleRow(event.node, event.spot, event.way, happened))


def _list_idle(machine: Machine) -> Iterator[tuple[Held, Called]]:
    """The outermost first, as they are made last; those whose layers run by themselves are no rows."""
    for event in reversed(machine.events):
        made = event.result if isinstance(event, Called) and event.name == _ROW else None
        if isinstance(event, Called) and isinstance(made, Held):
            items = _list_items(machine, made)
            parts = {each.address for each in items if isinstance(each, Held)}
            if len(items) > 1 and not parts & machine.run:
                yield made, event


def _list_items(machine: Machine, made: Held) -> tuple[Value, ...]:
    return machine.state.read(made.address).get(ITEMS) or ()


def _try_row(machine: Machine, made: Held, event: Called) -> tuple[Occurrence, ...]:
    """What happens, and what raises whatever the number of axes."""
    tried = [_run_row(machine, made, event, each) for each in _list_inputs(machine, made)]
    raising = ({e.spot for e in happened if isinstance(e, Refused)} for happened in tried)
    common = set.intersection(*raising)
    return tuple(e for e in tried[0] if not isinstance(e, Refused) or e.spot in common)


def _list_inputs(machine: Machine, made: Held) -> Iterator[Tensor]:
    first = next(iter(_list_items(machine, made)), None)
    name = first.of.path if isinstance(first, Held) and isinstance(first.of, External) else ""
    if name.rpartition(".")[2] not in _OF_ANY_RANK:
        yield Tensor()
        return
    for rank in _RANKS:
        yield Tensor(tuple(make_fresh() for _ in range(rank)))


def _run_row(machine: Machine, made: Held, event: Called, given: Tensor) -> list[Occurrence]:
    before, told, witness = machine.state, len(machine.events), machine.witness
    machine.state, machine.witness = (
        before.fork(),
        None,
    )  # it is no use that the project makes of it
    with suppress(LeftError, SpentError):
        machine.call(event.node, made, Given((given,)))
    machine.unwind()
    happened = machine.events[told:]
    machine.take_back(told)
    machine.state, machine.witness = before, witness
    return happened
