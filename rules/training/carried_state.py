"""LT432: a recurrent state that is carried from one training step to the next with its graph."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import AttributeSet, Called, ModelCalled, Occurrence
from lintorch.evaluator.marks import Cell, LoopBegan, LoopEnded, NameBound
from lintorch.evaluator.unknown_objects import ModelOutput, UnknownCalled
from lintorch.evaluator.values import Class, Held, Items, Tensor, Value
from lintorch.facts.models.carried_memory import carries_graph
from lintorch.facts.models.carried_steps import list_carried
from lintorch.source import Source, Training

rule = Rule(
    __name__,
    code="LT432",
    summary="a hidden state that is never detached",
    why="""
        A state that goes into the next step as it came out of the last one is still a part of its
        graph. backward() of the first step has freed that graph: the second raises "Trying to
        backward through the graph a second time". With retain_graph=True it goes on to where the
        optimizer has changed the weights, and raises there. `state = state.detach()` between the
        steps keeps the numbers and lets the graph go. Measured on torch 2.13.

        Followed are states that torch's recurrent layers and models of the file give back, by a
        name or kept by the model itself. A memory that forward keeps on the model does the same: a
        moving average (`self.mean = 0.9 * self.mean + 0.1 * z`), a queue of features, the last
        output. It is told where the model gives back what was worked out of it. The same is said of
        what a training loop goes on with (`bank = 0.9 * bank + 0.1 * z`), where its loss is made
        of it. Work it out of `z.detach()`, or keep `(...).detach()`.
    """,
    bad="""
        import torch
        from torch import nn


        def train(batches, rnn=nn.GRU(4, 8)):
            optimizer = torch.optim.SGD(rnn.parameters(), lr=0.1)
            state = None
            for batch in batches:
                out, state = rnn(batch, state)
                optimizer.zero_grad()
                out.square().mean().backward()
                optimizer.step()
    """,
    good="""
        import torch
        from torch import nn


        def train(batches, rnn=nn.GRU(4, 8)):
            optimizer = torch.optim.SGD(rnn.parameters(), lr=0.1)
            state = None
            for batch in batches:
                out, state = rnn(batch, state)
                state = state.detach()
                optimizer.zero_grad()
                out.square().mean().backward()
                optimizer.step()
    """,
    proof="""
        train([torch.randn(5, 2, 4)] * 2)
    """,
    severity=Severity.ERROR,
)

_ROWS = frozenset(f"torch.nn.{name}.forward" for name in ("LSTM", "GRU", "RNN"))
_CELLS = frozenset(f"torch.nn.{name}.forward" for name in ("LSTMCell", "GRUCell", "RNNCell"))
_RECURRENT = _ROWS | _CELLS
_AGAIN = frozenset({"retain_graph", "create_graph"})
Run = Called | ModelCalled


@dataclass
class _Turn:
    """One pass of a loop: what names are given, what runs, and what runs backward."""

    began: LoopBegan
    runs: list[tuple[int, Run]] = field(default_factory=list)
    bound: list[tuple[int, Cell, Value, Occurrence]] = field(default_factory=list)
    backward: list[int] = field(default_factory=list)
    again: bool = False


@rule.event(Training)
def in_loops(training: Training, source: Source) -> Iterator[Hit]:
    """`out, state = rnn(x, state)` at every turn, and backward()."""
    for reached in source.evaluation.reached:
        if not reached.ordered:
            continue
        for turn in _list_turns(reached.events):
            if not turn.backward or turn.again:
                continue
            for at, run in turn.runs:
                if name := _find_carried(at, run, turn, source):
                    message = (
                        f"{name} goes into the next step with the graph of this one: backward()"
                        f" raises at the second"
                    )
                    remedy = f"write {name} = {_detach(name, run, source)}"
                    yield Hit(run, message, remedy=remedy)


def _detach(name: str, run: Run, source: Source) -> str:
    """An LSTM has two states."""
    rows = (
        (run,)
        if isinstance(run, Called)
        else [each for r in source.evaluation.reached for each in r.events]
    )
    pair = any("LSTM" in each.name for each in rows if isinstance(each, Called))
    return f"tuple(s.detach() for s in {name})" if pair else f"{name}.detach()"


def _list_turns(events: tuple[Occurrence, ...]) -> Iterator[_Turn]:
    open_turns: list[_Turn] = []
    for number, event in enumerate(events):
        if isinstance(event, LoopBegan):
            open_turns.append(_Turn(event))
        elif isinstance(event, LoopEnded):
            if open_turns:
                yield open_turns.pop()
        elif open_turns:
            for turn in open_turns:
                _note(turn, number, event)


def _note(turn: _Turn, number: int, event: Occurrence) -> None:
    if isinstance(event, NameBound):
        turn.bound.append((number, event.cell, event.value, event))
    elif isinstance(event, AttributeSet) and isinstance(event.held, Held):
        cell = event.held.address, event.attribute
        turn.bound.append((number, cell, event.value, event))
    elif isinstance(event, ModelCalled) or (isinstance(event, Called) and event.name in _RECURRENT):
        turn.runs.append((number, event))
    elif isinstance(event, Called) and event.name in (
        "torch.Tensor.backward",
        "torch.autograd.backward",
    ):
        turn.backward.append(number)
        turn.again = turn.again or not _AGAIN.isdisjoint(event.keyword)
    elif isinstance(event, UnknownCalled) and event.method == "backward":
        turn.backward.append(number)
        turn.again = turn.again or not _AGAIN.isdisjoint(event.given.keyword)


def _find_carried(at: int, run: Run, turn: _Turn, source: Source) -> str:
    """The name of what a run is given and gives, unchanged from one pass to the next."""
    if not any(number > at for number in turn.backward):
        return ""
    for name in _list_names(run):
        if not name.startswith("self.") and not _is_near(turn.began, run):
            continue  # a name of a function that the loop calls anew at each pass
        mine = [each for each in turn.bound if _is_of(each, name) and _is_near(each[3], run)]
        before = [each for each in mine if each[0] < at]
        after = [each for each in mine if each[0] > at]
        if not before and after and _is_given_by(after[-1][2], run, source):
            return name
    return ""


def _is_of(bound: tuple[int, Cell, Value, Occurrence], name: str) -> bool:
    """Whether a name, or an attribute of self, is given a value."""
    _, cell, _, event = bound
    return cell[1] == name.removeprefix("self.") and name.startswith("self.") == isinstance(
        event, AttributeSet
    )


def _list_names(run: Run) -> Iterator[str]:
    """The names that a call is given behind its first argument."""
    node = run.node
    if isinstance(node, ast.Call):
        for each in (*node.args[1:], *(k.value for k in node.keywords)):
            if isinstance(each, ast.Name):
                yield each.id
            elif isinstance(each, ast.Attribute) and ast.unparse(each.value) == "self":
                yield f"self.{each.attr}"


def _is_near(bound: Occurrence, run: Run) -> bool:
    """Whether a name was given a value in the function that runs the layer."""
    return bound.way.names == run.way.names and bound.way.spots == run.way.spots


def _is_given_by(value: Value, run: Run, source: Source) -> bool:
    """Whether a value is a state that a run gave, as it was given."""
    if isinstance(run, Called):
        return any(each is value for each in _list_states(run))
    if not isinstance(value, ModelOutput):
        return _is_state(value, source)
    if value.model != run.held or not value.item:
        return False
    found = [*source.evaluation.steps.list_outputs(value)]
    return bool(found) and all(_is_state(each, source) for each in found)


def _is_state(value: Value, source: Source) -> bool:
    """Whether a recurrent layer gave it, which had a state to begin with."""
    inner = value.items[0] if isinstance(value, Items) and value.items else value
    made = source.evaluation.ways.find_maker(inner)
    if not isinstance(made, Called) or made.name not in _RECURRENT:
        return False
    begun = made.positional[2] if len(made.positional) > 2 else made.keyword.get("hx")
    return begun is not None and any(each is value or each is inner for each in _list_states(made))


def _list_states(run: Called) -> Iterator[Value]:
    """What a recurrent layer gives to go on with, whole and in parts."""
    if run.name in _CELLS:
        yield run.result
        yield from (run.result.items or ()) if isinstance(run.result, Items) else ()
    elif isinstance(run.result, Items) and run.result.items and len(run.result.items) == 2:
        state = run.result.items[1]
        yield state
        yield from (state.items or ()) if isinstance(state, Items) else ()


@rule.event(AttributeSet)
def in_models(event: AttributeSet, source: Source) -> Iterator[Hit]:
    """`y, self.state = self.rnn(x, self.state)`, which nobody resets."""
    kind = event.held.of if isinstance(event.held, Held) else None
    made = source.evaluation.ways.find_maker(_first_of(event.value))
    if made is None and "LSTM" in source.text:
        made = _find_pair(event.value, source)
    if not isinstance(kind, Class) or not isinstance(made, Called) or made.name not in _RECURRENT:
        return
    if event.spot.path != source.path or not any(v is event.value for v in _list_states(made)):
        return
    takes = list(map(ast.unparse, _list_taken(made.node)))
    written = ast.unparse(event.node)
    if written not in takes or not written.startswith("self.") or not _is_trained(kind, source):
        return
    if _count_writers(event, kind, source) <= {"__init__", _name_around(event, source)}:
        message = f"{written} keeps the graph of this step: backward() raises at the next"
        remedy = f"keep {written.partition('.')[2]}.detach()"
        yield Hit(event, message, remedy=remedy, cause=f"{kind.name} carries its state")


@rule.event(Training)
def in_steps(training: Training, source: Source) -> Iterator[Hit]:
    """`bank = 0.9 * bank + 0.1 * z` in the loop that trains, and a loss of it."""
    for made, name in list_carried(source):
        recurrent = isinstance(made, Called) and made.name in _RECURRENT
        if not recurrent and made.spot.path == source.path:
            message = f"{name} keeps the graph of this step: backward() raises at the next"
            yield Hit(made, message, remedy=f"add {name} = {name}.detach() behind backward()")


@rule.event(AttributeSet)
def in_memories(event: AttributeSet, source: Source) -> Iterator[Hit]:
    """`self.bank = 0.9 * self.bank + 0.1 * z` in forward, of which it makes what it gives back."""
    if (
        event.spot.path != source.path
        or not event.way.forward
        or not isinstance(event.value, Tensor)
    ):
        return
    kind = event.held.of if isinstance(event.held, Held) else None
    made = source.evaluation.ways.find_maker(event.value)
    if not isinstance(kind, Class) or (isinstance(made, Called) and made.name in _RECURRENT):
        return
    if carries_graph(event, source) and _count_writers(event, kind, source) <= {
        "__init__",
        _name_around(event, source),
    }:
        name = f"self.{event.attribute}"
        message = f"{name} keeps the graph of this step: backward() raises at the next"
        yield Hit(event, message, remedy=f"add {name} = {name}.detach() behind its last use")


def _find_pair(value: Value, source: Source) -> Called | None:
    """The run that gave a pair of states of which a value is one."""
    runs = (each for reached in source.evaluation.reached for each in reached.events)
    found = (each for each in runs if isinstance(each, Called) and each.name in _RECURRENT)
    return next((e for e in found if any(s is value for s in _list_states(e))), None)


def _list_taken(call: ast.AST) -> Iterator[ast.expr]:
    """What a call is given behind its first argument, and the parts of a pair."""
    if isinstance(call, ast.Call):
        for each in (*call.args[1:], *(k.value for k in call.keywords)):
            yield from (each, *each.elts) if isinstance(each, ast.Tuple) else (each,)


def _first_of(value: Value) -> Value:
    return value.items[0] if isinstance(value, Items) and value.items else value


def _name_around(event: Occurrence, source: Source) -> str:
    """The function that an event stands in; the constructor for what only that calls."""
    if any(name.endswith("__init__") for name in event.way.names):
        return "__init__"
    return getattr(source.evaluation.find_function(event), "name", "")


def _count_writers(event: AttributeSet, kind: Class, source: Source) -> set[str]:
    """The functions of the file that give this attribute of what may be such a model a value."""
    found = set()
    for reached in source.evaluation.reached:
        for each in reached.events:
            if isinstance(each, AttributeSet) and each.attribute == event.attribute:
                of = each.held.of if isinstance(each.held, Held) else None
                if isinstance(of, Class) and of is not kind and kind not in of.ancestors:
                    continue
                found.add(_name_around(each, source))
    return found


def _is_trained(kind: Class, source: Source) -> bool:
    """Whether a loop of the file calls such a model and runs backward, and does nothing else to it."""
    for reached in source.evaluation.reached:
        for turn in _list_turns(reached.events) if reached.ordered else ():
            called = any(
                isinstance(run, ModelCalled) and isinstance(run.held, Held) and run.held.of is kind
                for _, run in turn.runs
            )
            if called and turn.backward and not turn.again:
                return True
    return False
