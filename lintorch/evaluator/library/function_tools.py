"""Functions that make functions of functions: `functools`, decorators of methods, `torch.jit.script`."""

from __future__ import annotations

import ast
from dataclasses import replace

from lintorch.evaluator.library.table import LIBRARY, does
from lintorch.evaluator.machine import Machine
from lintorch.evaluator.truth import known_items
from lintorch.evaluator.values import (
    UNKNOWN,
    Bound,
    Class,
    External,
    Function,
    Given,
    Held,
    Unknown,
    Value,
)


@does("functools.partial")
def make_partial(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`functools.partial(f, a, b=c)`."""
    if not given.positional or given.open:
        return UNKNOWN
    first, *rest = given.positional
    return Bound(first, tuple(rest), tuple(given.keyword.items()))


@does("functools.reduce")
def fold_items(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`functools.reduce(f, items, start)`."""
    items = known_items(machine, given.pick(1) or UNKNOWN)
    if items is None or not given.positional:
        return UNKNOWN
    start = given.pick(2)
    rest = list(items if start is not None or not items else items[1:])
    total = start or (items[0] if items else UNKNOWN)
    for item in rest:
        total = machine.call(node, given.positional[0], Given((total, item)))
    return total


@does("functools.wraps")
def copy_names(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`functools.wraps(f)`: a decorator that leaves what it is called with, and knows what that stands for."""
    first = given.pick(0)
    return (
        External("lintorch.kept") if first is None else Bound(External("lintorch.named"), (first,))
    )


@does("lintorch.named")
def name_wrapper(machine: Machine, node: ast.AST, given: Given) -> Value:
    """A function that was told what it wraps."""
    inner, outer = given.pick(0), given.pick(1) or UNKNOWN
    if isinstance(inner, Function) and isinstance(outer, Function):
        return replace(outer, wrapped=inner)
    return outer


def _keep_function(machine: Machine, node: ast.AST, given: Given) -> Value:
    """A decorator that leaves the function as it is, or makes one that does."""
    first = given.pick(0)
    if isinstance(first, (Function, Class, Bound, Held)):
        return first
    return External("lintorch.kept")


for _name in (
    "functools.lru_cache", "functools.cache", "torch.no_grad", "torch.jit.ignore",
    "torch.jit.unused", "torch.jit.export", "torch.jit.script_method", "torch.jit.script_if_tracing",
    "torch.inference_mode", "torch.enable_grad", "torch.compile", "abc.abstractmethod",
    "contextlib.contextmanager", "typing.no_type_check", "lintorch.kept", "torch.compiler.disable",
    "typing.overload", "typing.final", "torch.jit.interface", "torch.cuda.amp.autocast", "torch.autocast",
    "torch.amp.autocast", "torch.cuda.amp.custom_fwd", "torch.cuda.amp.custom_bwd", "torch._dynamo.disable",
    "torch.fx.wrap", "typing.cast_to",
):  # fmt: skip
    LIBRARY[_name] = _keep_function


@does("staticmethod", "classmethod", "property", "functools.cached_property")
def mark_method(machine: Machine, node: ast.AST, given: Given) -> Value:
    """A decorator of methods; the class reads what it says."""
    first, second = given.pick(0), given.pick(1)
    path = node.id if isinstance(node, ast.Name) else "functools.cached_property"
    written = (second,) if second is not None else ()
    return Bound(External(path), (first, *written)) if first is not None else UNKNOWN


@does("property.setter")
def mark_setter(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`@width.setter`: the same property, which can be given a value too."""
    read, written = given.pick(0), given.pick(1)
    return Bound(External("property"), (read or UNKNOWN, written or UNKNOWN))


@does("torch.jit.script")
def script_function(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`torch.jit.script(f)`: its branches and loops stay what they are under the tracers of TorchScript."""
    first = given.pick(0)
    if isinstance(first, Function):
        return Bound(External(SCRIPTED), (first,))
    return replace(first) if isinstance(first, (Held, Unknown)) else first or UNKNOWN


SCRIPTED = "lintorch.scripted"


@does(SCRIPTED)
def call_scripted(machine: Machine, node: ast.AST, given: Given) -> Value:
    """A call of a scripted function: no tracer looks inside."""
    function, *rest = given.positional
    here, was = machine.here, machine.here.forward
    here.forward = False
    try:
        return machine.call(node, function, Given(tuple(rest), given.keyword, given.open))
    finally:
        here.forward = was
