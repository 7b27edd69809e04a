"""What happens while no gradients are recorded: in blocks and functions that switch them off."""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

from lintorch.evaluator.events import Called, Occurrence
from lintorch.evaluator.marks import CallBegan, CallEnded, ContextEntered, ContextLeft
from lintorch.evaluator.values import FALSE, TRUE, External, Held, Unknown, Value
from lintorch.facts.models.value_ways import ValueWays

_FREE = (
    "torch.no_grad", "torch.inference_mode", "torch.autograd.no_grad",
    "torch.autograd.grad_mode.no_grad", "torch.autograd.grad_mode.inference_mode",
)  # fmt: skip
_SET = ("torch.set_grad_enabled", "torch.autograd.set_grad_enabled")
_RECORDING = ("torch.enable_grad", "torch.autograd.enable_grad")
_FREE_DECORATOR = re.compile(r"^(torch\.)?(autograd\.)?(no_grad|inference_mode)\(\)$")


class QuietStretches(NamedTuple):
    """What happens in there, by the ids of the occurrences."""

    sure: frozenset[int]
    possible: frozenset[int]
    """With what a switch by a value that is not known may silence."""


class _Mode(NamedTuple):
    """Whether gradients are surely off, and whether they may be."""

    off: bool
    may_be_off: bool


def find_quiet_stretches(events: tuple[Occurrence, ...], ways: ValueWays) -> QuietStretches:
    """What the order of one root's occurrences says."""
    sure, possible = set(), set()
    modes: list[tuple[object, _Mode]] = [(None, _Mode(False, False))]
    begun: list[CallBegan] = []
    for event in events:
        while begun and _is_behind(event, begun[-1]):
            _leave(modes, begun.pop().node)
        now = modes[-1][1]
        if isinstance(event, ContextEntered):
            modes.append((event.manager, _judge_manager(event.manager, now, ways)))
        elif isinstance(event, ContextLeft):
            _leave(modes, event.manager)
        elif isinstance(event, CallEnded):
            _leave(modes, event.node)  # also blocks that a return has left
        elif isinstance(event, CallBegan):
            begun.append(event)
            modes.append((event.node, _judge_function(event, now)))
        else:
            sure |= {id(event)} if now.off else set()
            possible |= {id(event)} if now.may_be_off else set()
    return QuietStretches(frozenset(sure), frozenset(possible))


def _is_behind(event: Occurrence, call: CallBegan) -> bool:
    """Whether something happens outside of a call that was begun: of one that takes too long no end is told."""
    outer = call.way.names
    return event.way.names[: len(outer)] != outer or len(event.way.names) == len(outer)


def _judge_manager(manager: Value, before: _Mode, ways: ValueWays) -> _Mode:
    """What holds in a `with` block."""
    kind = manager.of if isinstance(manager, Held) else None
    path = kind.path if isinstance(kind, External) else ""
    made = ways.find_maker(manager) if path else None
    given = made.positional if isinstance(made, Called) else ()
    if path in _FREE:
        plain = not (isinstance(made, Called) and (made.positional or made.keyword))
        return _Mode(plain, given[:1] != (FALSE,))
    if path in _SET:
        return _Mode(given[:1] == (FALSE,), given[:1] != (TRUE,))
    if path in _RECORDING:
        return _Mode(False, False)
    return _Mode(before.off and not isinstance(manager, Unknown), before.may_be_off)


def _judge_function(event: CallBegan, before: _Mode) -> _Mode:
    """What holds in a function, by its decorators."""
    decorators = [ast.unparse(each) for each in getattr(event.node, "decorator_list", ())]
    named = any("no_grad" in each or "inference_mode" in each for each in decorators)
    if any(_FREE_DECORATOR.match(each) for each in decorators):
        return _Mode(True, True)
    left = before.off and not any("grad" in each for each in decorators)
    return _Mode(left, named or before.may_be_off)


def _leave(modes: list[tuple[object, _Mode]], what: object) -> None:
    """Take back all up to the last that was entered by it."""
    for number in range(len(modes) - 1, 0, -1):
        if modes[number][0] is what or modes[number][0] == what:
            del modes[number:]
            return
