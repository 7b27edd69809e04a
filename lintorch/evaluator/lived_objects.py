"""What an object may have become since it was made: its methods have been called in the meantime."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from lintorch.evaluator.join import ITEMS
from lintorch.evaluator.kept_beside import keep_beside
from lintorch.evaluator.machine import Machine
from lintorch.evaluator.values import NONE, Class, Constant, Held, Tensor, Unknown, Value

_FILLING = frozenset({"append", "appendleft", "extend", "insert", "add", "update", "setdefault"})
_BEGINNING = ("__init__", "__new__", "__post_init__")


def age_object(machine: Machine, made: Value) -> Value:
    """The object: what other methods count up or fill, and what begins as None, may be anything by now."""
    if not isinstance(made, Held) or not isinstance(made.of, Class):
        return made
    open_placeholders(machine, made)
    changed = _find_changed(made.of)
    for name, value in tuple(machine.state.read(made.address).items()):
        if value == NONE or (name in changed and isinstance(value, Constant)):
            machine.state.write(made.address)[name] = Unknown(f"self.{name}")
        elif name in changed and _is_empty_list(machine, value):
            machine.spoil(value)
    return made


def open_placeholders(machine: Machine, made: Value) -> None:
    """Tensors without a number, `self.prototypes = torch.tensor(())`, that other methods put others in the place of."""
    if not isinstance(made, Held) or not isinstance(made.of, Class):
        return
    content = machine.state.read(made.address)
    for name in _find_changed(made.of) & content.keys():
        value = content[name]
        if isinstance(value, Tensor) and value.shape is not None and 0 in value.shape:
            machine.state.write(made.address)[name] = replace(value, shape=None, dtype=None)


def _find_changed(kind: Class) -> frozenset[str]:
    """Attributes that methods of a class or of its bases change after the constructor."""
    classes = (each for each in kind.ancestors if isinstance(each, Class))
    return frozenset(name for each in classes for name in _list_changed(each.node))


def _is_empty_list(machine: Machine, value: Value) -> bool:
    if not isinstance(value, Held) or value.kind != "list":
        return False
    return machine.state.read(value.address).get(ITEMS) == ()


@keep_beside
def _list_changed(node: ast.ClassDef) -> frozenset[str]:
    """Attributes that methods other than the constructor set or fill: `self.data.append(x)`, `self.n += 1`."""
    methods = (
        each
        for each in node.body
        if isinstance(each, ast.FunctionDef) and each.name not in _BEGINNING
    )
    return frozenset(name for each in methods for name in _list_set(each))


def _list_set(method: ast.FunctionDef) -> Iterator[str]:
    for each in ast.walk(method):
        match each:
            case ast.Attribute(ast.Name("self"), name, ast.Store()):
                yield name
            case ast.Call(ast.Attribute(ast.Attribute(ast.Name("self"), name), called)):
                if called in _FILLING:
                    yield name
