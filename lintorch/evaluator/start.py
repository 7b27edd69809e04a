"""Evaluates roots: models as they are built and called, scripts, functions that nothing else reaches."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
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
from lintorch.evaluator.events import Occurrence
from lintorch.evaluator.learn import settle_shape
from lintorch.evaluator.library import (  # noqa: F401
    command_lines,
    containers,
    einops_patterns,
    model_helpers,
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

_ROUNDS = 4
_MOST_FACTORIES = 4
"""Functions of one file that are called for the models they build."""


@dataclass(frozen=True)
class Reached:
    """What happened in one root, and what it gave; `spent`: not all of it was followed."""

    name: str
    events: tuple[Occurrence, ...]
    result: Value
    spent: bool
    steps: int
    entered: frozenset[Class]
    """Classes of files of which an object was made."""
    failure: Exception | None = None
    """A defect of the evaluator that ended it early."""


def evaluate_file(
    library: Library,
    file: CodeFile,
    is_exported: Callable[[str], bool] = lambda name: True,
    budget: Budget | None = None,
) -> Iterator[Reached]:
    """The models of a file: as its own functions build them, then each that nothing built yet.

    `is_exported` says of a class of the file whether it is one that may be exported.
    """
    met: set[str] = set()
    for name in (*_list_factories(file), *_list_classes(file)):
        if name in met:
            continue
        reached = evaluate_model(library, file, name, is_exported, budget)
        met.update(each.name for each in reached.entered if each.file is file)
        yield reached


def _list_classes(file: CodeFile) -> list[str]:
    """Classes that have bases, the last first: what contains others mostly comes after them."""
    found = [each.name for each in file.tree.body if isinstance(each, ast.ClassDef) and each.bases]
    return found[::-1]


def _list_factories(file: CodeFile) -> list[str]:
    """Functions that can be called without arguments, and mention a class of the file."""
    classes = set(_list_classes(file))
    found = []
    for each in file.tree.body if classes else ():
        if isinstance(each, ast.FunctionDef) and _needs_nothing(each.args):
            returned = {
                inner.func.id
                for inner in ast.walk(each)
                if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name)
            }
            if returned & classes:
                found.append(each.name)
    return found[-_MOST_FACTORIES:][::-1]


def _needs_nothing(given: ast.arguments) -> bool:
    positional = len(given.posonlyargs) + len(given.args) - len(given.defaults)
    return positional == 0 and None not in given.kw_defaults


def evaluate_model(
    library: Library,
    file: CodeFile,
    name: str,
    is_exported: Callable[[str], bool] = lambda name: True,
    budget: Budget | None = None,
) -> Reached:
    """Build a model by a class or function of a file and run its forward on symbolic inputs.

    The inputs' shapes are learned from what the code does with them, in up to three rounds.
    """
    machine = Machine(library, budget)
    reached = Reached(name, (), UNKNOWN, False, 0, frozenset())
    for _ in range(_ROUNDS):
        known = dict(machine.learned), dict(machine.learned_types), dict(machine.settled)
        fresh = Machine(library, budget)
        fresh.learned, fresh.learned_types = machine.learned, machine.learned_types
        fresh.guessed, fresh.settled = machine.guessed, machine.settled
        machine = fresh
        reached = _run_model(machine, file, name, is_exported)
        if (machine.learned, machine.learned_types, machine.settled) == known:
            if all(each in machine.learned for each in machine.guessed):
                break
            machine.learned = {**machine.guessed, **machine.learned}
    return reached


def _run_model(
    machine: Machine, file: CodeFile, name: str, is_exported: Callable[[str], bool]
) -> Reached:
    machine.root = f"{file.path}:{name}"
    machine.stack.append(Activation(frame_of(machine, file), name, file))
    result: Value = UNKNOWN
    spent, failure = False, None
    node: ast.AST = ast.Pass(lineno=1, col_offset=0, end_lineno=1, end_col_offset=0)
    try:
        maker = read_global(machine, file, name)
        if isinstance(maker, (Class, Function)):
            node = maker.node
        if isinstance(maker, Function) or is_module_class(maker):
            model = machine.call(node, maker, Given())
            kind = model.of if isinstance(model, Held) else None
            own = isinstance(kind, Class) and kind.file is file
            machine.here.forward = not own or is_exported(getattr(kind, "name", ""))
            result = _call_forward(machine, node, model)
    except LeftError:
        pass
    except SpentError:
        spent = True
    except Exception as error:  # a defect here takes nothing else down
        failure = error
    events = tuple(machine.events)
    return Reached(name, events, result, spent, machine.steps, frozenset(machine.made), failure)


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
    given = [*spec.posonlyargs, *spec.args]
    needed = given[skip : len(given) - len(spec.defaults)]
    if spec.vararg is not None and len(given) == skip:
        needed = [spec.vararg]
    return [make_input(machine, each) for each in needed]


def make_input(machine: Machine, parameter: ast.arg) -> Value:
    """One of them."""
    if parameter.annotation is not None and not _may_be_tensor(parameter.annotation):
        return UNKNOWN
    name = parameter.arg
    shape = settle_shape(machine, name)
    dtype = machine.learned_types.get(name)
    return Tensor(shape, dtype, "input", name, frozenset({f"input {name}"}))


def _may_be_tensor(annotation: ast.expr) -> bool:
    text = ast.unparse(annotation)
    if any(word in text for word in ("List", "list[", "Tuple", "tuple[", "Dict", "dict[")):
        return False
    return "Tensor" in text or text.rpartition(".")[2] in ("Any", "object")
