"""Functions and methods that train and that nothing else reached, followed with symbolic arguments."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial

from lintorch.evaluator.budget import Budget
from lintorch.evaluator.machine import Machine
from lintorch.evaluator.make_arguments import make_settings
from lintorch.evaluator.marks import CallEnded
from lintorch.evaluator.names import read_global
from lintorch.evaluator.objects import find_class_attribute
from lintorch.evaluator.run_model import Reached, Surroundings, run_block
from lintorch.evaluator.training_code import Definition, find_training_functions
from lintorch.evaluator.values import (
    NONE,
    Class,
    Function,
    Given,
    Held,
    Unknown,
    Value,
)


def list_followed(reached: Reached) -> set[ast.AST]:
    """The functions that were followed to their end."""
    return {event.function.node for event in reached.events if isinstance(event, CallEnded)}


def run_training(around: Surroundings, followed: set[ast.AST]) -> Iterator[Reached]:
    """Those of a file; callers come before what they call, and `followed` are left out."""
    budget = around.budget or Budget()
    left = budget.training_file_steps
    waiting = [*reversed(find_training_functions(around.file).items())]
    for node, owner in waiting:
        if node in followed or left <= 0 or node.name == "__init__":
            continue
        name = f"{owner.name}.{node.name}" if owner else node.name
        for is_open in (False, True) if _has_switches(node) else (False,):
            run = partial(run_function, node, owner, is_open)
            limits = replace(budget, steps=min(budget.training_steps, left))
            reached = run_block(around, name, run, limits, marks=True)
            left -= reached.steps
            followed |= list_followed(reached)
            yield reached


def run_function(
    node: Definition, owner: ast.ClassDef | None, is_open: bool, machine: Machine
) -> Value:
    """Call a function, or a method of an object made for it, and what it defines and nobody calls."""
    file = machine.here.file
    found = read_global(machine, file, owner.name if owner else node.name)
    first: tuple[Value, ...] = ()
    function: Value | None = found
    if isinstance(found, Class):
        machine.marks = False
        held = _make_object(machine, found)
        machine.marks = True
        function = find_class_attribute(machine, found, node.name)
        static = isinstance(function, Function) and function.kind == "static"
        first = () if static else (held,)
    if not isinstance(function, Function) or function.node is not node:
        return NONE
    settings = make_settings(machine, function, len(first))
    if is_open:
        settings.update(open_switches(node))
    return machine.call(node, function, Given(first, settings))


def _make_object(machine: Machine, kind: Class) -> Value:
    """An object of a class, built with settings that nobody gives; if that fails, one without attributes."""
    init = find_class_attribute(machine, kind, "__init__")
    settings = make_settings(machine, init) if isinstance(init, Function) else {}
    made = machine.call(kind.node, kind, Given((), settings))
    return made if isinstance(made, Held) else machine.hold("object", {}, kind)


def _has_switches(node: Definition) -> bool:
    return bool(open_switches(node))


def open_switches(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> dict[str, Value]:
    """Parameters that are None, True or False where nobody gives them: as something unknown."""
    spec = node.args
    positional = [*spec.posonlyargs, *spec.args]
    pairs: Iterable[tuple[ast.arg, ast.expr | None]] = (
        *zip(positional[len(positional) - len(spec.defaults) :], spec.defaults, strict=True),
        *zip(spec.kwonlyargs, spec.kw_defaults, strict=True),
    )
    return {
        each.arg: Unknown(f"<{each.arg}>")
        for each, default in pairs
        if isinstance(default, ast.Constant) and default.value in (None, True, False)
    }
