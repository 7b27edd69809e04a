"""Functions and methods that no model and no script of a file entered: followed with open parameters."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from lintorch.evaluator.code_files import CodeFile
from lintorch.evaluator.lived_objects import age_object
from lintorch.evaluator.machine import Machine
from lintorch.evaluator.make_arguments import make_input, make_setting, make_settings
from lintorch.evaluator.names import read_global
from lintorch.evaluator.objects import find_class_attribute
from lintorch.evaluator.proven_tensors import prove_parameter
from lintorch.evaluator.roots import list_redefined
from lintorch.evaluator.training_code import Definition, list_definitions
from lintorch.evaluator.training_roots import open_switches
from lintorch.evaluator.values import (
    NONE,
    UNKNOWN,
    Class,
    Function,
    Given,
    Held,
    Items,
    Tensor,
    Value,
)
from lintorch.syntax.python_ast import list_nodes

_OWN = ("__init__", "__new__", "forward")


def list_loose(file: CodeFile) -> Iterator[tuple[str, Definition]]:
    """Functions at the top of a file and methods of its classes by name, those that no other names first."""
    found = dict(_list_definitions(file))
    named = {name for node in found.values() for name in _list_named(node)}
    for first in (True, False):
        for name, node in found.items():
            if (node.name not in named) is first and _may_matter(node):
                yield name, node


def _may_matter(node: Definition) -> bool:
    """Whether a function does more than describe its object."""
    special = node.name.startswith("__") and node.name.endswith("__")
    return node.name != "extra_repr" and (not special or node.name in _WORKING)


_WORKING = ("__init__", "__call__", "__enter__", "__exit__", "__getitem__", "__iter__", "__next__")


def leaves_branches(node: Definition, name: str) -> bool:
    """Whether a function that was entered may have left a branch for what it was given; no method of an object."""
    spec = node.args
    given = {each.arg for each in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)}
    return "." not in name and _asks_any(node, given)


def asks_switch(node: Definition) -> bool:
    """Whether anything in a function is decided by what its defaults switch on or off."""
    return _asks_any(node, open_switches(node).keys())


def _asks_any(node: Definition, switches: Collection[str]) -> bool:
    return bool(switches) and any(
        isinstance(name, ast.Name) and name.id in switches
        for each in list_nodes(node)
        if isinstance(each, (ast.If, ast.IfExp, ast.While, ast.BoolOp))
        for name in list_nodes(each.test if not isinstance(each, ast.BoolOp) else each)
    )


def _list_definitions(file: CodeFile) -> Iterator[tuple[str, Definition]]:
    """Constructors are followed with the methods of their class, and by themselves where it has no others."""
    defined = [*list_definitions(file)]
    working = {owner for node, owner in defined if node.name not in _OWN and _may_matter(node)}
    for node, owner in defined:
        if owner is None:
            yield node.name, node
        elif node.name not in _OWN or (node.name == "__init__" and owner not in working):
            yield f"{owner.name}.{node.name}", node


def _list_named(node: Definition) -> Iterator[str]:
    """What a definition names other than itself."""
    for each in list_nodes(node):
        name = getattr(each, "id", None) or getattr(each, "attr", None)
        if isinstance(name, str) and name != node.name:
            yield name


def list_acting(file: CodeFile) -> list[ast.stmt]:
    """The statements of a module's own that call something, or set an item or attribute."""
    again = list_redefined(file)
    found = (e for e in file.tree.body if not isinstance(e, _DEFINITIONS) or e in again)
    return [each for each in found if each in again or any(map(_acts, list_nodes(each)))]


def _acts(node: ast.AST) -> bool:
    held = isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Store)
    return held or isinstance(node, ast.Call)


_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def run_statements(body: list[ast.stmt], machine: Machine) -> Value:
    """What a module does when it is imported."""
    _prepare(machine)
    machine.execute(body)
    return NONE


def run_loose(name: str, is_open: bool, machine: Machine) -> Value:
    """Call a function with parameters of which no more is known than their annotations and defaults say.

    `is_open`: defaults that only switch something on or off are not taken for given.
    """
    _prepare(machine)
    owner, _, method = name.rpartition(".")
    held = read_global(machine, machine.here.file, owner or name)
    if isinstance(held, Function):
        return machine.call(held.node, held, Given((), make_open(machine, held, 0, is_open)))
    if not isinstance(held, Class):
        return NONE
    function = find_class_attribute(machine, held, method)
    if not isinstance(function, Function):
        return NONE
    if function.kind == "static":
        return machine.call(
            function.node, function, Given((), make_open(machine, function, 0, is_open))
        )
    receiver: Value = held
    if method == "__init__":
        return make_receiver(machine, held)
    if function.kind != "class":
        receiver = age_object(machine, make_receiver(machine, held))
    result = machine.call(
        function.node, function, Given((receiver,), make_open(machine, function, 1, is_open))
    )
    if isinstance(result, Items):  # several rows, as of a detector's heads: taken layer by layer
        machine.run.update(e.address for e in result.items or () if isinstance(e, Held))
    return result


def _prepare(machine: Machine) -> None:
    machine.tells_unknown = True
    machine.helper_steps = machine.budget.helper_steps
    machine.here.doubt += 1  # nobody says that it is called so


def make_receiver(machine: Machine, kind: Class) -> Value:
    """An object whose method is called."""
    if machine.witness is not None and kind in machine.witness.built:
        built = machine.witness.built[kind]
        machine.state = built.state.fork()
        return built.made
    init = find_class_attribute(machine, kind, "__init__")
    settings = make_settings(machine, init) if isinstance(init, Function) else {}
    return machine.call(kind.node, kind, Given((), settings))


def make_open(machine: Machine, function: Function, skip: int, is_open: bool) -> dict[str, Value]:
    """Values of the parameters that have no default: what is said to be a tensor is one."""
    spec = function.node.args
    positional = [*spec.posonlyargs, *spec.args]
    needed = positional[skip : len(positional) - len(spec.defaults)]
    late = zip(spec.kwonlyargs, spec.kw_defaults, strict=True)
    needed += [each for each, default in late if default is None]
    made = {each.arg: _make_parameter(machine, function, each) for each in needed}
    if is_open:
        made.update(open_switches(function.node))
    if spec.kwarg is not None:
        made["open"] = UNKNOWN  # among `**options`, which may hold anything
    return made


def _make_parameter(machine: Machine, function: Function, each: ast.arg) -> Value:
    if each.annotation is not None and "Tensor" in ast.unparse(each.annotation):
        given = make_input(machine, each)
        if isinstance(given, Tensor):
            return given
    return prove_parameter(machine, function, each.arg, make_setting(machine, function, each))
