"""What functions say of their own parameters: `f.__code__.co_varnames`, `inspect.signature(f)`."""

from __future__ import annotations

import ast

from lintorch.evaluator.kept_beside import keep_beside
from lintorch.evaluator.machine import Machine
from lintorch.evaluator.values import UNKNOWN, Bound, Constant, External, Function, Items, Value

CODE = External("lintorch.code")
SIGNATURE = External("lintorch.signature")


def find_function(value: Value) -> tuple[Function | None, int]:
    """The function that is called, and how many of its parameters are given before."""
    if isinstance(value, Bound) and isinstance(value.function, Function):
        return (None, 0) if value.keyword else (value.function, len(value.positional))
    return (value, 0) if isinstance(value, Function) else (None, 0)


def read_code(function: Function, name: str) -> Value:
    """An attribute of `f.__code__`: of a wrapper its own."""
    if name == "co_varnames":
        return Items("tuple", tuple(map(Constant, _list_variables(function.node))))
    if name == "co_argcount":
        spec = function.node.args
        return Constant(len(spec.posonlyargs) + len(spec.args))
    return Constant(function.name) if name == "co_name" else UNKNOWN


def read_signature(machine: Machine, value: Value, name: str) -> Value:
    """`inspect.signature(f).parameters`: of a wrapper that names what it wraps, that function's."""
    function, taken = find_function(value)
    if function is None or name != "parameters":
        return UNKNOWN
    names = _list_parameters(function.inmost.node.args)[taken:]
    return machine.hold("dict", dict.fromkeys(names, UNKNOWN))


def _list_parameters(spec: ast.arguments) -> list[str]:
    starred = [spec.vararg] if spec.vararg else []
    last = [spec.kwarg] if spec.kwarg else []
    parameters = (*spec.posonlyargs, *spec.args, *starred, *spec.kwonlyargs, *last)
    return [each.arg for each in parameters]


@keep_beside
def _list_variables(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> tuple[str, ...]:
    """Parameters in the order of code objects, then what the body gives a value."""
    spec = node.args
    starred = [each for each in (spec.vararg, spec.kwarg) if each]
    parameters = (*spec.posonlyargs, *spec.args, *spec.kwonlyargs, *starred)
    body = node.body if isinstance(node.body, list) else []
    written = (name for each in body for name in _list_written(each))
    return tuple(dict.fromkeys((*(each.arg for each in parameters), *written)))


def _list_written(node: ast.AST) -> list[str]:
    """Names that code gives a value, without what functions and classes in it do."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [node.name]
    if isinstance(node, (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
        return []
    own = [node.id] if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else []
    return own + [name for each in ast.iter_child_nodes(node) for name in _list_written(each)]
