"""Functions that read and change objects: `getattr`, `hasattr`, `super`, `vars`, namespaces, named tuples."""

from __future__ import annotations

import ast
from typing import TypeGuard

from lintorch.core.torch_methods import PARALLEL_WRAPPERS
from lintorch.evaluator.assign import set_attribute
from lintorch.evaluator.exporter_questions import ask_size_class
from lintorch.evaluator.exporters import is_there
from lintorch.evaluator.join import ITEMS
from lintorch.evaluator.library.table import does
from lintorch.evaluator.machine import Machine
from lintorch.evaluator.objects import (
    MODULE,
    find_class_attribute,
    has_open_base,
    list_ancestors,
)
from lintorch.evaluator.signatures.find_signatures import is_known
from lintorch.evaluator.truth import known_items
from lintorch.evaluator.values import (
    NONE,
    OPEN_BOOL,
    UNKNOWN,
    Bound,
    Class,
    Constant,
    External,
    Function,
    Given,
    Held,
    Items,
    Number,
    Super,
    Tensor,
    Unknown,
    Value,
)
from lintorch.evaluator.written_names import SIGNATURE, find_function


@does("getattr")
def get_attribute(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`getattr(held, "name", default)`."""
    held, name = given.pick(0) or UNKNOWN, given.pick(1)
    if not isinstance(name, Constant) or not isinstance(name.value, str):
        return UNKNOWN
    if given.pick(2) is not None and has_attribute(machine, held, name.value) is False:
        return given.pick(2) or UNKNOWN
    return machine.read_attribute(node, held, name.value)


@does("torch.nn.Module.__getattr__")
def get_own_attribute(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`self.__getattr__("name")`."""
    return get_attribute(machine, node, given)


@does("setattr", "torch.nn.Module.__setattr__")
def change_attribute(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`setattr(held, "name", value)`."""
    held, name, value = (given.pick(i) or UNKNOWN for i in range(3))
    if isinstance(name, Constant) and isinstance(name.value, str):
        set_attribute(machine, held, name.value, value)
    return NONE


@does("hasattr")
def ask_attribute(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`hasattr(held, "name")`."""
    held, name = given.pick(0) or UNKNOWN, given.pick(1)
    if isinstance(name, Constant) and isinstance(name.value, str):
        if name.value in ("__len__", "__iter__"):
            sized = ask_size_class(machine, held, ["collections.abc.Sized"])
            if sized is not None:
                return sized
        if name.value in _OF_TENSORS and isinstance(held, Number):
            traced = ask_size_class(machine, held, ["torch.Tensor"])
            if traced is not None:
                return traced
        found = has_attribute(machine, held, name.value)
        return OPEN_BOOL if found is None else Constant(found)
    return OPEN_BOOL


def has_attribute(machine: Machine, held: Value, name: str) -> bool | None:
    """Whether a value has an attribute; None where that is not known."""
    if isinstance(held, Tensor) and held.origin == "parameter" and held.sure:
        set_here = f".{name} =" in machine.here.file.text or is_known(f"torch.Tensor.{name}")
        return None if set_here or name in _TENSOR_NAMES else False
    if isinstance(held, External) and is_there(f"{held.path}.{name}"):
        return True
    if not isinstance(held, Held) or held.kind != "object":
        return None
    if name in machine.state.read(held.address):
        return True
    if find_class_attribute(machine, held.of, name) is not None:
        return True
    foreign = [each.path for each in list_ancestors(held.of) if isinstance(each, External)]
    if name == "module" and PARALLEL_WRAPPERS.intersection(foreign):
        return True
    if has_open_base(held.of) or any(path not in (MODULE, "object") for path in foreign):
        return None
    if find_class_attribute(machine, held.of, "__getattr__") is not None:
        return None
    return None if foreign and name in _MODULE_NAMES else False


_OF_TENSORS = frozenset(
    {"size", "shape", "dim", "ndim", "dtype", "device", "numel", "detach", "cpu", "numpy"}
)
"""Attributes that tensors have, and sizes only where a tracer makes them tensors."""
_TENSOR_NAMES = frozenset(
    {"grad", "data", "shape", "dtype", "device", "ndim", "T", "requires_grad"}
)
_MODULE_NAMES = frozenset(
    {"training", "forward", "parameters", "modules", "children", "to", "eval"}
)


@does("super")
def make_super(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`super()`, `super(Class, self)`."""
    here = machine.here
    for running in reversed(machine.stack):
        if running.node is here.node and running.owner is not None:
            here = running
            break
    after = given.pick(0) if isinstance(given.pick(0), Class) else here.owner
    instance = given.pick(1) or here.instance
    if isinstance(after, Class) and instance is not None:
        return Super(instance, after)
    return UNKNOWN


@does("vars")
def read_attributes(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`vars(x)`: the very dictionary of its attributes."""
    held = given.pick(0)
    if held is None:
        return list_locals(machine, node, given)
    known = isinstance(held, Held) and held.kind == "object" and not has_open_base(held.of)
    return Held(held.address, "dict") if known and isinstance(held, Held) else UNKNOWN


@does("locals")
def list_locals(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`locals()`: a copy."""
    return machine.hold("dict", machine.state.read(machine.here.frame.address))


@does("types.SimpleNamespace", "argparse.Namespace")
def make_namespace(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`SimpleNamespace(a=b)`."""
    return machine.hold("object", dict(given.keyword), External("types.SimpleNamespace"))


@does("collections.namedtuple")
def define_named_tuple(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`namedtuple("Pair", "left right")`."""
    fields = given.pick(1, "field_names")
    if isinstance(fields, Constant) and isinstance(fields.value, str):
        words = fields.value.replace(",", " ").split()
        names: tuple[Value, ...] = tuple(map(Constant, words))
    else:
        names = known_items(machine, fields or UNKNOWN) or ()
    if not names or "defaults" in given.keyword:
        return UNKNOWN
    return Bound(External(_NAMED_TUPLE), (Items("tuple", names),))


_NAMED_TUPLE = "lintorch.named_tuple"


@does(_NAMED_TUPLE)
def make_named_tuple(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`Pair(1, right=2)`."""
    first, *rest = given.positional
    names = [str(each.value) for each in known_items(machine, first) or () if _is_text(each)]
    content = {**dict(zip(names, rest, strict=False)), **given.keyword}
    items = tuple(content.get(name, UNKNOWN) for name in names)
    return machine.hold("object", {**content, ITEMS: items}, External("collections.namedtuple"))


def _is_text(value: Value) -> TypeGuard[Constant]:
    return isinstance(value, Constant) and isinstance(value.value, str)


@does("callable")
def ask_callable(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`callable(x)`."""
    value = given.pick(0)
    if isinstance(value, (Function, Class, Bound)):
        return Constant(True)
    return Constant(False) if isinstance(value, (Constant, Number, Tensor, Items)) else OPEN_BOOL


@does("inspect.isfunction")
def ask_function(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`inspect.isfunction(x)`."""
    value = given.pick(0)
    if isinstance(value, Unknown) or value is None:
        return UNKNOWN
    return Constant(isinstance(value, Function))


@does("inspect.signature")
def ask_signature(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`inspect.signature(f)`."""
    function, _ = find_function(given.pick(0) or UNKNOWN)
    return UNKNOWN if function is None else Bound(SIGNATURE, given.positional[:1])


@does("typing.cast")
def cast_value(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`typing.cast(kind, value)`."""
    return given.pick(1) or UNKNOWN


@does("contextlib.nullcontext", "lintorch.context")
def enter_nothing(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`contextlib.nullcontext(x)`."""
    return given.pick(0) or UNKNOWN


@does("dataclasses.dataclass", "dataclasses.field")
def make_field(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`field(default=x)`, `field(default_factory=list)`."""
    if "default" in given.keyword:
        return given.keyword["default"]
    factory = given.keyword.get("default_factory")
    return UNKNOWN if factory is None else machine.call(node, factory, Given())
