"""Inputs that are objects of the project, which hold tensors: `forward(self, samples: NestedTensor)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from lintorch.evaluator.kept_beside import keep_beside
from lintorch.evaluator.machine import LeftError, Machine
from lintorch.evaluator.make_arguments import make_input, read_annotation
from lintorch.evaluator.objects import (
    find_class_attribute,
    is_data_class,
    is_module_class,
    list_fields,
)
from lintorch.evaluator.values import UNKNOWN, Class, Function, Given, Value
from lintorch.syntax.python_ast import list_nodes


def make_input_objects(
    machine: Machine, forward: Function, inputs: Mapping[str, Value]
) -> dict[str, Value]:
    """Those of the inputs whose annotation names such a class, where the code does not ask for the kind."""
    spec = forward.node.args
    found: dict[str, Value] = {}
    for each in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs):
        note = each.annotation
        named = isinstance(note, (ast.Name, ast.Attribute)) and each.arg in inputs
        if named and note is not None and each.arg not in _list_asked(forward.node):
            kind = read_annotation(machine, forward, note)
            made = _make_object(machine, note, kind, each.arg) if isinstance(kind, Class) else None
            found |= {} if made is None else {each.arg: made}
    return found


@keep_beside
def _list_asked(node: ast.AST) -> frozenset[str]:
    """The names of which `isinstance` is asked: they may be plain tensors too."""
    calls = (e for e in list_nodes(node) if isinstance(e, ast.Call) and len(e.args) == 2)
    asked = (e.args[0] for e in calls if getattr(e.func, "id", "") == "isinstance")
    return frozenset(each.id for each in asked if isinstance(each, ast.Name))


def _make_object(machine: Machine, note: ast.expr, kind: Class, name: str) -> Value | None:
    if is_module_class(kind):
        return None
    fields = [*_list_needed(machine, kind)]
    tensors = {each.arg for each in fields if _says_tensor(each.annotation)}
    if "Tensor" in kind.name:
        tensors |= {each.arg for each in fields if each.annotation is None}
    if not tensors:
        return None
    given = {
        each.arg: make_input(machine, ast.arg(f"{name}.{each.arg}", each.annotation))
        if each.arg in tensors
        else UNKNOWN
        for each in fields
    }
    try:
        return machine.call(note, kind, Given((), given))
    except LeftError:
        return None


def _list_needed(machine: Machine, kind: Class) -> Iterator[ast.arg]:
    """What has to be given to make one."""
    init = find_class_attribute(machine, kind, "__init__")
    if isinstance(init, Function):
        spec = init.node.args
        own = [*spec.posonlyargs, *spec.args]
        yield from own[1 : len(own) - len(spec.defaults)]
    elif is_data_class(kind):
        for name, said in list_fields(kind).items():
            if said.value is None:
                yield ast.arg(name, said.annotation)


def _says_tensor(note: ast.expr | None) -> bool:
    return note is not None and "Tensor" in ast.unparse(note)
