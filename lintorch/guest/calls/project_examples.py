"""What calls of a model in its project show: how it is built there, and what it is fed."""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from torch import nn

from lintorch.guest.calls.find_model_calls import ModelCall, name_called
from lintorch.guest.calls.hollow_models import Making, find_making, make_hollow
from lintorch.guest.calls.list_model_calls import SoughtModel
from lintorch.guest.calls.project_scripts import ProjectScripts
from lintorch.guest.calls.read_fed import name_fed, name_known, name_plain, read_fed
from lintorch.guest.calls.read_open_axes import names_dims, read_open_axes
from lintorch.guest.calls.run_statement import SOUGHT, StatementRunner
from lintorch.guest.calls.script_runner import ScriptRunner
from lintorch.guest.calls.script_surroundings import leave_weights_empty
from lintorch.guest.calls.unknown_value import drop_unknown, holds_unknown
from lintorch.guest.construct.call_examples import UNREAD, CallPlace, Example
from lintorch.guest.construct.found_settings import FoundSettings
from lintorch.guest.process.deadline import clock
from lintorch.record.models import FedArgument, Input, PlainArgument

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
            own = [example for example in seen if not example.of_other]
            fed = sum(bool(example.inputs) and not example.unread for example in own)
            if clock() > deadline or len(seen) == _MOST_EXAMPLES or fed == _ENOUGH_FED:
                return
            if any(not example.unread for example in own) and _only_makes(call):
                return
            if fed and call.rank >= _LITTLE_TOLD:
                return
            function = call.placed.region.function
            tired = function is not None and futile[id(function)] >= _MOST_FUTILE
            if tired and not _only_makes(call):
                continue
            with scripts.enter(call.text) as runner:
                example = _read_example(sought, call, runner)
            if example is not None and (alone := _drop_place(example)) not in seen:
                seen.append(alone)
                yield number, example
            elif example is None or not example.inputs:
                futile[id(function)] += 1


def _only_makes(call: ModelCall) -> bool:
    """Whether a call makes a model of this very class, and feeds none."""
    return call.model is None and not call.picked


def _put_class(node: ast.expr) -> ast.expr:
    """The call, of the class that is sought instead of any other."""
    if not isinstance(node, ast.Call):
        return node
    name = ast.copy_location(ast.Name(SOUGHT, ast.Load()), node)
    return ast.copy_location(ast.Call(name, node.args, node.keywords), node)


def _picks_other(
    node: ast.expr, sought: SoughtModel, call: ModelCall, runner: ScriptRunner
) -> bool:
    """Whether another class is known to be the one of a module that a name picks."""
    if not isinstance(node, ast.Call) or not name_called(node.func).endswith("."):
        return False
    match node.func:
        case ast.Call(_, [_, name, *_]) | ast.Subscript(_, name):
            picked = runner.find_value(name, call.placed.region)
            return isinstance(picked, str) and picked != sought.kind.__name__
    return False


def _read_example(sought: SoughtModel, call: ModelCall, runner: ScriptRunner) -> Example | None:
    node = call.placed.node if call.model is None else call.model
    if isinstance(node, ast.Attribute) and node.attr == "forward":
        node = node.value
    if call.picked and _picks_other(node, sought, call, runner):
        return None
    node = _put_class(node) if call.picked else node
    value = _pick_model(runner.find_value(node, call.placed.region))
    making = find_making(value)
    of_other = making is None and call.model is not None and is_of_project(value, sought)
    if of_other:
        making = Making((), {}, {})
    if making is None:
        return None
    find = lambda part: runner.find_value(part, call.placed.region)  # noqa: E731
    inputs: tuple[tuple[str, FedArgument], ...] = ()
    partly: tuple[Input, ...] = ()
    plain: tuple[PlainArgument, ...] = ()
    with suppress(Exception):  # whatever user code raises
        fed = read_fed(call, find)
        inputs = name_fed(*fed, sought.kind)
        partly = () if inputs else name_known(*fed, sought.kind)
        plain = () if inputs else name_plain(*fed, sought.kind)
    args, kwargs = _mark_unread(making)
    unread = sum(
        value is UNREAD or isinstance(value, FoundSettings) for value in (*args, *kwargs.values())
    )
    axes, named = None, False
    with suppress(Exception):  # whatever user code raises
        axes = read_open_axes(call, find, list(dict(inputs)))
        named = bool(axes) and names_dims(call, find)
    row = call.row if inputs else making.rows.get(str(call.text.path), call.row)
    source = call.text.name_place(row, sought.project)
    known = {name: value for name, value in kwargs.items() if value is not UNREAD}
    if of_other and not inputs:
        return None
    place = CallPlace(source, axes, named, partly, plain)
    return Example(sought.kind.__qualname__, args, known, unread, inputs, place, of_other)


def _pick_model(value: Any) -> Any:
    """The model among several things that a function gives back: `return model, criterion`."""
    parts = value if isinstance(value, tuple) else ()
    return next((part for part in parts if find_making(part) is not None), value)


def _drop_place(example: Example) -> Example:
    return replace(example, place=CallPlace(partly=example.place.partly, plain=example.place.plain))


def is_of_project(value: Any, sought: SoughtModel) -> bool:
    """Whether a value is a model of another class of the project that the sought one stands beside."""
    kind = type(value)
    home = getattr(sys.modules.get(kind.__module__), "__file__", None) or ""
    same = kind.__module__ == sought.kind.__module__
    return isinstance(value, nn.Module) and (same or Path(home).is_relative_to(sought.project))


def join_examples(examples: Sequence[Example]) -> Iterator[Example]:
    """The examples; where none tells inputs, they are fed what another class is in its place."""
    lent = next((example for example in examples if example.of_other), None)
    own = [example for example in examples if not example.of_other]
    if lent is None or any(example.inputs for example in own):
        yield from own
    else:
        for example in own:
            place = replace(lent.place, source=example.place.source)
            yield replace(example, inputs=lent.inputs, place=place)
        yield lent


def _mark_unread(making: Making) -> tuple[tuple[Any, ...], dict[str, Any]]:
    def mark(value: Any) -> Any:
        return UNREAD if holds_unknown(known := drop_unknown(value)) else known

    return tuple(map(mark, making.args)), {n: mark(v) for n, v in making.kwargs.items()}
