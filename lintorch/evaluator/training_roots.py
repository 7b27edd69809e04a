"""Functions and methods that train and that nothing else reached, followed with symbolic arguments."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from lintorch.evaluator.budget import Budget
from lintorch.evaluator.code_files import CodeFile
from lintorch.evaluator.lived_objects import age_object
from lintorch.evaluator.machine import LeftError, Machine
from lintorch.evaluator.make_arguments import make_settings, pair_defaults
from lintorch.evaluator.marks import CallEnded
from lintorch.evaluator.names import read_global
from lintorch.evaluator.objects import find_class_attribute, is_module_class
from lintorch.evaluator.proven_tensors import prove_parameter
from lintorch.evaluator.run_model import Reached, Surroundings, run_block
from lintorch.evaluator.training_code import (
    Definition,
    find_training_functions,
    list_called_words,
)
from lintorch.evaluator.values import (
    NONE,
    Class,
    Function,
    Given,
    Held,
    Unknown,
    Value,
)
from lintorch.evaluator.witness import Witness


def list_followed(reached: Reached) -> set[ast.AST]:
    """The functions that were followed to their end."""
    return {event.function.node for event in reached.events if isinstance(event, CallEnded)}


def run_training(around: Surroundings, followed: set[ast.AST]) -> Iterator[Reached]:
    """Those of a file; callers come before what they call, and `followed` are left out."""
    budget = around.budget or Budget()
    left, spare = budget.training_file_steps, budget.training_steps
    waiting = [*reversed(find_training_functions(around.file).items())]
    for node, owner in waiting:
        if node in followed or (left <= 0 and not _runs_backward(node, around.file)):
            continue
        name = f"{owner.name}.{node.name}" if owner else node.name
        for is_open in (False, True) if _has_switches(node, owner) else (False,):
            run = partial(run_function, node, owner, is_open, around.witness)
            steps = min(budget.training_steps, max(left, budget.last_training_steps))
            limits = replace(budget, steps=steps)
            reached = run_block(around, name, run, limits, marks=True, shallow=True)
            left -= reached.steps
            followed |= list_followed(reached)
            yield reached
            if reached.spent and spare > 0:
                again, limits = partial(_run_sparing, run), replace(budget, steps=spare)
                reached = run_block(around, name, again, limits, marks=True, shallow=True)
                spare -= reached.steps
                followed |= list_followed(reached)
                yield reached


def _run_sparing(run: Callable[[Machine], Value], machine: Machine) -> Value:
    """Once more, and no function of another file further than a few steps: a dataset, what builds a model."""
    machine.helper_steps = machine.budget.helper_steps
    return run(machine)


def _runs_backward(node: Definition, file: CodeFile) -> bool:
    """Whether a function trains by itself, so that it is worth to be looked at when steps are spent."""
    return {"backward", "step"} <= list_called_words(file, node)


def run_function(
    node: Definition,
    owner: ast.ClassDef | None,
    is_open: bool,
    witness: Witness,
    machine: Machine,
) -> Value:
    """Call a function, or a method of an object made for it; of a model as it was built before."""
    file = machine.here.file
    found = read_global(machine, file, owner.name if owner else node.name)
    first: tuple[Value, ...] = ()
    function: Value | None = found
    if isinstance(found, Class):
        machine.marks = False
        begun = node.name == "__init__"
        held = (
            machine.hold("object", {}, found)
            if begun
            else age_object(machine, _make_object(machine, found, is_open, witness))
        )
        machine.marks = True
        function = find_class_attribute(machine, found, node.name)
        static = isinstance(function, Function) and function.kind == "static"
        first = () if static else (held,)
    if not isinstance(function, Function) or function.node is not node:
        return NONE
    settings = {
        **_list_defaults(function),
        **_make_settings(machine, function, len(first), is_open),
    }
    starred = node.args.vararg is not None or node.args.kwarg is not None
    return machine.call(node, function, Given(first, settings, open=starred))


def _list_defaults(function: Function) -> dict[str, Value]:
    spec = function.node.args
    names = [each.arg for each in (*spec.posonlyargs, *spec.args)]
    late = names[len(names) - len(function.defaults) :]
    return {**dict(zip(late, function.defaults, strict=True)), **dict(function.keyword_defaults)}


def _make_object(machine: Machine, kind: Class, is_open: bool, witness: Witness) -> Value:
    """An object of a class, built with settings that nobody gives; if that fails, one without attributes."""
    built = witness.built.get(kind)
    if built is not None and not is_open and is_module_class(kind):
        machine.state = built.state.fork()
        return built.made
    init = find_class_attribute(machine, kind, "__init__")
    settings = _make_settings(machine, init, 1, is_open) if isinstance(init, Function) else {}
    try:
        return machine.call(kind.node, kind, Given((), settings))
    except LeftError:
        return machine.hold("object", {}, kind)


def _make_settings(
    machine: Machine, function: Function, skip: int, is_open: bool
) -> dict[str, Value]:
    """`is_open`: with switches, and objects of settings, that may be any."""
    settings = {
        name: prove_parameter(machine, function, name, value)
        for name, value in make_settings(machine, function, skip).items()
    }
    if not is_open:
        return settings
    for name, value in settings.items():
        if isinstance(value, Held) and value.kind == "object":
            settings[name] = Unknown(f"<{name}>")
    return {**settings, **open_switches(function.node)}


def _has_switches(node: Definition, owner: ast.ClassDef | None) -> bool:
    """Whether anything is decided by what nobody gives."""
    inits = [
        each for each in (owner.body if owner else ()) if getattr(each, "name", "") == "__init__"
    ]
    makers = (node, *(each for each in inits if isinstance(each, ast.FunctionDef)))
    return any(open_switches(each) or _has_settings(each) for each in makers)


def _has_settings(node: Definition) -> bool:
    """Whether a parameter is annotated as an object of settings may be."""
    spec = node.args
    return any(
        isinstance(each.annotation, (ast.Name, ast.Attribute))
        and ast.unparse(each.annotation).endswith(("Config", "Settings", "Args", "Arguments"))
        for each in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)
    )


def open_switches(node: Definition | ast.Lambda) -> dict[str, Value]:
    """Parameters that are None, True or False where nobody gives them: as something unknown."""
    return {
        each.arg: Unknown(f"<{each.arg}>")
        for each, default in pair_defaults(node.args)
        if isinstance(default, ast.Constant) and default.value in (None, True, False)
    }
