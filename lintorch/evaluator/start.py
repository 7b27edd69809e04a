"""Evaluates a file root by root: its script, then models as it builds them, then what is left of its classes."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from lintorch.evaluator import (  # noqa: F401  each registers what it knows with the machine
    arithmetic,
    assign,
    attributes,
    expressions,
    functions,
    names,
    objects,
    statements,
    subscripts,
)
from lintorch.evaluator.budget import Budget
from lintorch.evaluator.code_files import CodeFile, Library
from lintorch.evaluator.library import (  # noqa: F401
    class_tests,
    containers,
    einops_patterns,
    framework_methods,
    function_tools,
    model_helpers,
    module_methods,
    number_methods,
    number_tests,
    numbers,
    numpy_numbers,
    objects_library,
    pictures,
    script_arguments,
    tensors,
    texts,
    training_objects,
)
from lintorch.evaluator.loose_functions import (
    asks_switch,
    leaves_branches,
    list_acting,
    list_loose,
    run_loose,
    run_statements,
)
from lintorch.evaluator.machine import Machine, TopLevel
from lintorch.evaluator.make_arguments import make_settings
from lintorch.evaluator.names import frame_of, read_global
from lintorch.evaluator.roots import (
    find_said_factory,
    list_body,
    list_builders,
    list_classes,
    list_factories,
    list_script,
    needs_arguments,
)
from lintorch.evaluator.run_model import (
    Reached,
    Surroundings,
    leave_refusals,
    run_block,
    run_model,
)
from lintorch.evaluator.training_code import prepares_training, trains
from lintorch.evaluator.training_roots import list_followed, run_training
from lintorch.evaluator.values import NONE, Class, Constant, Function, Given, Value
from lintorch.evaluator.witness import Witness, is_set_otherwise

__all__ = ["Reached", "evaluate_file", "evaluate_model"]


def evaluate_file(
    library: Library,
    file: CodeFile,
    is_exported: Callable[[str], bool] = lambda name: True,
    budget: Budget | None = None,
    loose: bool = True,
) -> Iterator[Reached]:
    """The models of a file: as its own code builds them, then each that nothing built and called yet.

    `is_exported` says of a class of the file whether it is one that may be exported; `loose`:
    functions that none of them entered are followed as well, with open parameters.
    """
    around = Surroundings(library, file, TopLevel(), Witness(file), is_exported, budget)
    budget = budget or Budget()
    left = budget.file_steps
    followed: set[ast.AST] = set()
    if list_script(file) or prepares_training(file):
        script = replace(budget, steps=budget.script_steps)
        reached = run_block(around, "", run_script, script, trains(file))
        yield reached
        if reached.spent:  # once more, with models that are left closed
            closed = replace(budget, steps=budget.training_steps)
            reached = run_block(around, "", run_script, closed, trains(file), shallow=True)
            yield reached
        followed |= list_followed(reached)
    witness = around.witness
    met: set[str] = set()
    for name in (*list_factories(file), *list_classes(file), *find_said_factory(file)):
        if name in met or left <= 0:
            continue
        yield from _watch_builders(around, name)
        witness.called.clear()
        otherwise = is_set_otherwise(witness, name)
        reached = run_model(replace(around, budget=limit_steps(budget, left)), name)
        left -= reached.steps
        met.update(
            each.name for each in reached.entered & witness.called if _is_followed(around, each)
        )
        yield reached
        if left > 0 and otherwise:
            plain = replace(around, budget=limit_steps(budget, left), witness=Witness(file))
            reached = run_model(plain, name)
            left -= reached.steps
            yield leave_refusals(reached)
    yield from run_training(around, followed)
    if loose:
        yield from _follow_loose(around, limit_steps(budget, min(left, budget.loose_steps)))


def _follow_loose(around: Surroundings, budget: Budget) -> Iterator[Reached]:
    """What nothing entered yet, until the steps are spent."""
    left = budget.steps
    body = [] if list_script(around.file) else list_acting(around.file)
    if body:
        reached = run_block(around, "", partial(run_statements, body), limit_steps(budget, left))
        left -= reached.steps
        yield reached
    for name, node in list_loose(around.file):
        ways: tuple[bool, ...] = (False, True) if asks_switch(node) else (False,)
        if node in around.top.entered:
            ways = (True,) if leaves_branches(node, name) else ()
        for is_open in ways:
            if left > 0:
                run = partial(run_loose, name, is_open)
                reached = run_block(around, name, run, limit_steps(budget, left))
                left -= reached.steps
                yield leave_refusals(reached)


def _is_followed(around: Surroundings, kind: Class) -> bool:
    """Whether a class of the file was followed as well as it would be by itself."""
    built, sighted = around.witness.built.get(kind), kind in around.witness.sighted
    return kind.file is around.file and sighted and (built is None or built.is_known)


def limit_steps(budget: Budget, left: int) -> Budget:
    """A budget of which no more is spent than is left."""
    return replace(budget, steps=min(budget.steps, left))


def _watch_builders(around: Surroundings, name: str) -> Iterator[Reached]:
    """Follow code that builds a class, in its file and in others, until one does with known arguments.

    Of what happens there only the constructors of this file are told.
    """
    if not needs_arguments(around.file, name) or _is_known(around.witness, name):
        return
    budget = limit_steps(around.budget or Budget(), _MOST_STEPS)
    file, entered = around.file, set(around.top.entered)
    for other in (file, *around.library.mentions(name, file)):
        there = replace(around, file=other)
        for builder in list_builders(other, name):
            reached = run_block(there, builder, partial(_run_builder, builder), budget)
            yield _keep_constructors(reached, file)
            around.top.entered.intersection_update(entered)  # nobody told what else happened there
            if _is_known(around.witness, name):
                return


def _keep_constructors(reached: Reached, file: CodeFile) -> Reached:
    events = (e for e in reached.events if e.spot.path == file.path)
    kept = (e for e in events if e.way.names and e.way.names[-1].endswith(".__init__"))
    return replace(reached, events=tuple(kept), spent=False)


_MOST_STEPS = 2_000
"""Of a function that is followed to see how it builds a class."""


def _is_known(witness: Witness, name: str) -> bool:
    return any(kind.name == name and built.is_known for kind, built in witness.built.items())


def _run_builder(name: str, machine: Machine) -> Value:
    if not name:
        return run_script(machine)
    maker = read_global(machine, machine.here.file, name)
    if not isinstance(maker, Function):
        return NONE
    return machine.call(maker.node, maker, Given((), make_settings(machine, maker, 0)))


def run_script(machine: Machine) -> Value:
    """What a file does that is run."""
    machine.tells_unknown = True
    file = machine.here.file
    machine.state.write(frame_of(machine, file).address)["__name__"] = Constant("__main__")
    machine.execute(list_script(file) or list_body(file))
    return NONE


def evaluate_model(
    library: Library,
    file: CodeFile,
    name: str,
    is_exported: Callable[[str], bool] = lambda name: True,
    budget: Budget | None = None,
) -> Reached:
    """Build a model by a class or function of a file and run its forward on symbolic inputs."""
    around = Surroundings(library, file, TopLevel(), Witness(file), is_exported, budget)
    return run_model(around, name)
