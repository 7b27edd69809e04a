"""Going over a value: pass by pass where its items are known, else until nothing new is learned."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial

from lintorch.evaluator.assign import assign_target
from lintorch.evaluator.events import Decided, Occurrence, Refused, Repeated
from lintorch.evaluator.items import item_of, items_of
from lintorch.evaluator.join import ITEMS, join_data, join_states
from lintorch.evaluator.machine import Exits, LeftError, Machine
from lintorch.evaluator.mark_order import is_trained, marking
from lintorch.evaluator.marks import LoopBegan, LoopEnded, Turned
from lintorch.evaluator.state import State
from lintorch.evaluator.values import UNKNOWN, Items, Number, Tensor, Value


def run_passes(
    machine: Machine,
    loop: ast.AST,
    part: ast.For | ast.AsyncFor | ast.comprehension,
    over: Value,
    body: Callable[[], None],
) -> bool:
    """Carry out the body for each item; whether each of them was known.

    `part` says what is gone over and what each item is called, `loop` is the whole loop.

    Raises LeftError where no path leaves the loop.
    """
    if not machine.marks:
        return _run_passes(machine, loop, part, over, body)
    with marking(machine, LoopBegan, LoopEnded, loop):
        return _run_passes(machine, loop, part, over, body)


def _run_passes(
    machine: Machine,
    loop: ast.AST,
    part: ast.For | ast.AsyncFor | ast.comprehension,
    over: Value,
    body: Callable[[], None],
) -> bool:
    machine.tell(Repeated, part.iter, over, loop)
    target = part.target
    items = None if is_trained(machine, loop) else items_of(machine, over)
    around = machine.here.loops[-1].unrolled if machine.here.loops else 1
    passes = around * len(items) if items is not None else 0
    nested = around == 1 or passes <= machine.budget.nested
    if items is not None and len(items) <= machine.budget.unrolled and nested:
        exits = Exits(unrolled=max(passes, 1))
        machine.here.loops.append(exits)
        try:
            _run_each(machine, target, items, body, exits)
        finally:
            machine.here.loops.pop()
        return exits.breaks is None or machine.state is exits.breaks
    rounds = over.length if isinstance(over, Items) else None
    begin = partial(_take_item, machine, target, over)
    repeat_body(machine, begin, body, rounds)
    return False


def _take_item(machine: Machine, target: ast.expr, over: Value) -> None:
    assign_target(machine, target, item_of(machine, over))


def _run_each(
    machine: Machine,
    target: ast.expr,
    items: tuple[Value, ...],
    body: Callable[[], None],
    exits: Exits,
) -> None:
    ended, here, exporters = False, machine.here, machine.here.exporters
    for item in items:
        here.exporters = exporters
        machine.mark(Turned)
        try:
            assign_target(machine, target, item)
            body()
        except LeftError:
            ended = True
        if exits.continues is not None:
            joined = join_states(None if ended else machine.state, exits.continues)
            exits.continues, ended = None, False
            machine.state = joined or machine.state
        if ended:
            break
    here.exporters = exporters
    left = join_states(None if ended else machine.state, exits.breaks)
    if left is None:
        raise LeftError
    machine.state = left


def repeat_body(
    machine: Machine,
    begin: Callable[[], None],
    body: Callable[[], None],
    rounds: Number | None = None,
) -> None:
    """Carry out a body any number of times: what it changes is joined until that settles."""
    here, exits = machine.here, Exits(rounds=rounds)
    here.loops.append(exits)
    here.doubt += 1
    returned, left = len(here.returned), here.left
    try:
        for number in range(machine.budget.rounds):
            before = machine.state
            events = len(machine.events)
            exits.continues = exits.breaks = None
            machine.state = before.fork()
            machine.mark(Turned)
            after = _run_round(machine, begin, body, exits)
            joined = join_states(before.fork(), after)
            assert joined is not None
            if after is None or not _has_changed(before, joined):
                machine.state = join_states(joined, exits.breaks) or joined
                return
            machine.state = joined
            if number == machine.budget.rounds - 1:
                _forget_changes(machine, before, joined)
                machine.state = join_states(machine.state, exits.breaks) or machine.state
                return
            refused = [] if number else _list_refused(machine, events)
            machine.take_back(events)
            machine.events += refused
            del here.returned[returned:]
            here.left = left
    finally:
        here.doubt -= 1
        here.loops.pop()


def _list_refused(machine: Machine, number: int) -> list[Occurrence]:
    """What shapes refuse in the first round, which begins with what is known before the loop.

    Not behind a condition that nothing decides: it may be there to leave the first round out.
    """
    told = machine.events[number:]
    open_ifs = [e for e in told if isinstance(e, Decided) and e.answer is None]
    return [
        each
        for each in told
        if isinstance(each, Refused) and not any(_is_behind(each, asked) for asked in open_ifs)
    ]


def _is_behind(event: Refused, asked: Decided) -> bool:
    spot, whole = event.spot, asked.branch
    last = getattr(whole, "end_lineno", 0) or 0
    return asked.spot.path == spot.path and asked.spot.row <= spot.row <= last


def _run_round(
    machine: Machine, begin: Callable[[], None], body: Callable[[], None], exits: Exits
) -> State | None:
    after: State | None
    here, exporters = machine.here, machine.here.exporters
    try:
        begin()
        body()
        after = machine.state
    except LeftError:
        after = None
    finally:
        here.exporters = exporters
    return join_states(after, exits.continues)


def _has_changed(before: State, after: State) -> bool:
    for address, cell in before.cells.items():
        other = after.cells.get(address)
        if other is not None and other[1] is not cell[1] and other[1] != cell[1]:
            return True
    return False


def _forget_changes(machine: Machine, before: State, after: State) -> None:
    """What differs still is not known: another pass might change it again."""
    for address, (_, held) in list(before.cells.items()):
        other = after.cells[address][1]
        if other is held or other == held:
            continue
        mine = machine.state.write(address)
        for key, value in other.items():
            if held.get(key) != value:
                mine[key] = None if key is ITEMS else widen_value(held.get(key), value)


def widen_value(before: object, after: object) -> Value:
    """What any number of passes may make of a value: a tensor stays one."""
    if isinstance(before, Tensor) and isinstance(after, Tensor):
        same = before.shape is not None and after.shape is not None
        if same and len(before.shape or ()) == len(after.shape or ()):
            return after
        data = join_data((before.data, after.data))
        return Tensor(None, after.dtype, memory=after.memory, data=data)
    return UNKNOWN
