"""Evaluates roots: models as they are built and called, scripts, functions that nothing else reaches."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from lintorch.evaluator import (  # noqa: F401  each registers what it does
    attributes,
    expressions,
    functions,
    names,
    objects,
    statements,
    subscripts,
)
from lintorch.evaluator.budget import Budget, SpentError
from lintorch.evaluator.code_files import CodeFile, Library
from lintorch.evaluator.events import Event
from lintorch.evaluator.library import (  # noqa: F401
    containers,
    numbers,
    objects_library,
    tensors,
    texts,
)
from lintorch.evaluator.machine import Activation, LeftError, Machine
from lintorch.evaluator.names import frame_of, read_global
from lintorch.evaluator.objects import find_class_attribute, is_module_class
from lintorch.evaluator.values import (
    UNKNOWN,
    Class,
    Function,
    Given,
    Held,
    Tensor,
    Value,
)

_ROUNDS = 3


@dataclass(frozen=True)
class Reached:
    """What happened in one root, and what it gave; `spent`: not all of it was followed."""

    events: tuple[Event, ...]
    result: Value
    spent: bool
    steps: int


def evaluate_model(
    library: Library, file: CodeFile, name: str, given: Given | None = None, budget: Budget | None = None
) -> Reached:
    """Build a model class of a file and run its forward on symbolic inputs.

    The inputs' shapes are learned from what the code does with them, in up to three rounds.
    """
    machine = Machine(library, budget)
    reached = Reached((), UNKNOWN, False, 0)
    for _ in range(_ROUNDS):
        learned = dict(machine.learned), dict(machine.learned_types)
        fresh = Machine(library, budget)
        fresh.learned, fresh.learned_types, fresh.guessed = (
            machine.learned, machine.learned_types, machine.guessed,
        )  # fmt: skip
        machine = fresh
        reached = _run_model(machine, file, name, given or Given())
        if (machine.learned, machine.learned_types) == learned:
            if all(each in machine.learned for each in machine.guessed):
                break
            machine.learned = {**machine.guessed, **machine.learned}
    return reached


def _run_model(machine: Machine, file: CodeFile, name: str, given: Given) -> Reached:
    machine.root = f"{file.path}:{name}"
    machine.stack.append(Activation(frame_of(machine, file), name, file))
    result: Value = UNKNOWN
    spent = False
    node = ast.Pass(lineno=1, col_offset=0, end_lineno=1, end_col_offset=0)
    try:
        kind = read_global(machine, file, name)
        if isinstance(kind, Class):
            node = kind.node  # type: ignore[assignment]
            model = machine.call(node, kind, given)
            machine.here.forward = True
            result = _call_forward(machine, node, model)
    except LeftError:
        pass
    except SpentError:
        spent = True
    return Reached(tuple(machine.events), result, spent, machine.steps)


def _call_forward(machine: Machine, node: ast.AST, model: Value) -> Value:
    if not isinstance(model, Held) or not is_module_class(model.of):
        return UNKNOWN
    forward = find_class_attribute(machine, model.of, "forward")
    if not isinstance(forward, Function):
        return UNKNOWN
    inputs = make_inputs(machine, forward.node, skip=1)
    return machine.call(node, forward, Given((model, *inputs)))


def make_inputs(
    machine: Machine, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, skip: int
) -> Sequence[Value]:
    """Symbolic values of the parameters that have no default: tensors unless an annotation says otherwise."""
    spec = node.args
    names_given = [*spec.posonlyargs, *spec.args]
    needed = names_given[skip : len(names_given) - len(spec.defaults)]
    return [make_input(machine, each) for each in needed]


def make_input(machine: Machine, parameter: ast.arg) -> Value:
    """One of them."""
    if parameter.annotation is not None and not _may_be_tensor(parameter.annotation):
        return UNKNOWN
    name = parameter.arg
    shape = machine.learned.get(name)
    dtype = machine.learned_types.get(name)
    return Tensor(shape, dtype, "input", name, frozenset({f"input {name}"}))


def _may_be_tensor(annotation: ast.expr) -> bool:
    text = ast.unparse(annotation)
    if any(word in text for word in ("List", "list[", "Tuple", "tuple[", "Dict", "dict[")):
        return False
    return "Tensor" in text or text.rpartition(".")[2] in ("Any", "object")


