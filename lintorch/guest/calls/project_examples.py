"""What calls of a model in its project show: how it is built there, and what it is fed."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from dataclasses import replace
from typing import Any

from lintorch.guest.calls.find_model_calls import ModelCall
from lintorch.guest.calls.hollow_models import Making, find_making, make_hollow
from lintorch.guest.calls.list_model_calls import SoughtModel
from lintorch.guest.calls.project_scripts import ProjectScripts
from lintorch.guest.calls.read_fed import name_fed, read_fed
from lintorch.guest.calls.read_open_axes import names_dims, read_open_axes
from lintorch.guest.calls.run_statement import StatementRunner
from lintorch.guest.calls.script_runner import ScriptRunner
from lintorch.guest.calls.script_surroundings import leave_weights_empty
from lintorch.guest.calls.unknown_value import UnknownValue
from lintorch.guest.construct.call_examples import UNREAD, CallPlace, Example
from lintorch.guest.process.deadline import clock

_MOST_EXAMPLES = 5
_ENOUGH_FED, _LITTLE_TOLD = 2, 4
"""Calls that feed a model after which no others are looked at; the rank from which one such call is enough."""
_MOST_FUTILE = 3
"""Calls in one function that say nothing new, after which its others are passed over."""


def read_examples(
    sought: SoughtModel, calls: list[ModelCall], seconds: float, rehearsal: bool = False
) -> Iterator[tuple[int, Example]]:
    """The number of each call whose values could be worked out, and what it shows.

    In a `rehearsal` models that are arguments have no weights.
    """
    deadline = clock() + seconds
    seen: list[Example] = []
    with make_hollow(sought.kind) as made:
        scripts = ProjectScripts(
            sought,
            StatementRunner(made, deadline, sought.bind_imports()),
            leave_weights_empty if rehearsal else nullcontext,
        )
        futile: Counter[int] = Counter()
        for number, call in enumerate(calls):
            fed = sum(bool(example.inputs) and not example.unread for example in seen)
            if clock() > deadline or len(seen) == _MOST_EXAMPLES or fed == _ENOUGH_FED:
                return
            if any(not example.unread for example in seen) and call.model is None:
                return
            if fed and call.rank >= _LITTLE_TOLD:
                return
            function = call.placed.region.function
            if function is not None and futile[id(function)] >= _MOST_FUTILE:
                continue
            with scripts.enter(call.text) as runner:
                example = _read_example(sought, call, runner)
            if example is not None and (alone := replace(example, place=CallPlace())) not in seen:
                seen.append(alone)
                yield number, example
            elif example is None or not example.inputs:
                futile[id(function)] += 1


def _read_example(sought: SoughtModel, call: ModelCall, runner: ScriptRunner) -> Example | None:
    node = call.placed.node if call.model is None else call.model
    if isinstance(node, ast.Attribute) and node.attr == "forward":
        node = node.value
    making = find_making(runner.find_value(node, call.placed.region))
    if making is None:
        return None
    find = lambda part: runner.find_value(part, call.placed.region)  # noqa: E731
    try:
        inputs = name_fed(*read_fed(call, find), sought.kind)
    except Exception:  # whatever user code raises
        inputs = ()
    args, kwargs = _mark_unread(making)
    unread = sum(value is UNREAD for value in (*args, *kwargs.values()))
    axes, named = None, False
    with suppress(Exception):  # whatever user code raises
        axes = read_open_axes(call, find, list(dict(inputs)))
        named = bool(axes) and names_dims(call, find)
    row = call.row if inputs else making.rows.get(str(call.text.path), call.row)
    source = call.text.name_place(row, sought.project)
    known = {name: value for name, value in kwargs.items() if value is not UNREAD}
    return Example(
        sought.kind.__qualname__, args, known, unread, inputs, CallPlace(source, axes, named)
    )


def _mark_unread(making: Making) -> tuple[tuple[Any, ...], dict[str, Any]]:
    def mark(value: Any) -> Any:
        return UNREAD if isinstance(value, UnknownValue) else value

    return tuple(map(mark, making.args)), {n: mark(v) for n, v in making.kwargs.items()}
