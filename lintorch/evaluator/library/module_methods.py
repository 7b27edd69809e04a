"""Methods that nn.Module has for all, and the functions that make its parameters."""

from __future__ import annotations

import ast
from dataclasses import replace

from lintorch.evaluator.assign import set_item
from lintorch.evaluator.child_modules import name_children
from lintorch.evaluator.forward_hooks import hang_hook
from lintorch.evaluator.join import ITEMS
from lintorch.evaluator.library.table import LIBRARY, does
from lintorch.evaluator.machine import Machine
from lintorch.evaluator.model_modes import MODES
from lintorch.evaluator.objects import (
    MODULE,
)
from lintorch.evaluator.values import (
    FALSE,
    NONE,
    UNKNOWN,
    UNSAVED,
    Constant,
    External,
    Given,
    Held,
    Items,
    Tensor,
    Value,
)


@does(f"{MODULE}.__init__", "object.__init__")
def begin_module(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`super().__init__()`."""
    return NONE


@does(f"{MODULE}.register_buffer", f"{MODULE}.register_parameter", f"{MODULE}.add_module", f"{MODULE}.register_module")  # fmt: skip
def register_value(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`self.register_buffer("name", value)`."""
    held, name = given.pick(0), given.pick(1, "name")
    value = given.pick(2) or next(
        (given.keyword[k] for k in ("tensor", "param", "module") if k in given.keyword), UNKNOWN
    )
    if isinstance(name, Constant) and isinstance(name.value, str) and isinstance(held, Held):
        written = machine.state.write(held.address)
        if isinstance(value, Tensor):
            unsaved = given.pick(3, "persistent") == FALSE
            memory = {f"buffer {name.value}"} | ({f"{UNSAVED} {name.value}"} if unsaved else set())
            value = Tensor(
                value.shape, value.dtype, "buffer", name.value, frozenset(memory), data=False
            )
        written[name.value] = value
        entries = written.get("entries")
        if isinstance(entries, Held):
            machine.state.write(entries.address)[name.value] = value
    if isinstance(held, Held):
        written = machine.state.write(held.address)
        items = written.get(ITEMS)
        if items is not None:
            written[ITEMS] = (*items, value)
        if isinstance(entries := written.get("entries"), Held):
            set_item(machine, entries, name or UNKNOWN, value)
    return NONE


@does(
    f"{MODULE}.to", f"{MODULE}.cuda", f"{MODULE}.cpu",
    f"{MODULE}.float", f"{MODULE}.half", f"{MODULE}.double", f"{MODULE}.bfloat16", f"{MODULE}.apply",
    f"{MODULE}.requires_grad_", f"{MODULE}.type", f"{MODULE}.share_memory", f"{MODULE}.to_empty",
    "torch.Generator.manual_seed",
)  # fmt: skip
def give_back(machine: Machine, node: ast.AST, given: Given) -> Value:
    """Methods that give back their module, or generator."""
    return given.pick(0) or UNKNOWN


@does("torch.autograd.Variable")
def wrap_tensor(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`Variable(x)`: the tensor; with `requires_grad=True` one that its maker did not give."""
    held = given.pick(0, "data") or UNKNOWN
    asked = given.pick(1, "requires_grad") or FALSE
    return replace(held) if isinstance(held, Tensor) and asked != FALSE else held


@does(f"{MODULE}.register_forward_hook")
def add_hook(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`self.body[1].register_forward_hook(self.keep("low"))`."""
    hang_hook(machine, given.pick(0), given.pick(1, "hook"))
    return UNKNOWN


LIBRARY.update(MODES)

_REPARAMETRIZED = ("weight_norm", "spectral_norm", "orthogonal")


@does(
    *(
        f"torch.nn.utils.{name}"
        for name in (*_REPARAMETRIZED, "remove_weight_norm", "remove_spectral_norm")
    ),
    *(f"torch.nn.utils.parametrizations.{name}" for name in _REPARAMETRIZED),
    "torch.nn.utils.parametrize.register_parametrization",
)
def keep_layer(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`weight_norm(layer)`: the layer, whose weights are worked out in another way."""
    return given.pick(0, "module") or UNKNOWN


@does(f"{MODULE}.__call__", f"{MODULE}.forward")
def call_module(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`super().__call__(x)`."""
    held = given.pick(0) or UNKNOWN
    return machine.call(node, held, Given(given.positional[1:], given.keyword, given.open))


@does(f"{MODULE}.children", f"{MODULE}.modules")
def list_children(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`self.children()`: of a Sequential its items."""
    named = name_children(machine, given.pick(0))
    if named is not None:
        return Items("generator", tuple(named.values()))
    return Items("generator", None, machine.hold("object", {}, External(MODULE)))


@does(f"{MODULE}.named_children", f"{MODULE}.named_modules")
def list_named_children(machine: Machine, node: ast.AST, given: Given) -> Value:
    """The same with their names; of `named_modules` only that they are modules."""
    asked = node.func if isinstance(node, ast.Call) else None
    named = name_children(machine, given.pick(0))
    if named is None or not isinstance(asked, ast.Attribute) or asked.attr != "named_children":
        module = machine.hold("object", {}, External(MODULE))
        return Items("generator", None, Items("tuple", (UNKNOWN, module)))
    pairs = (Items("tuple", (Constant(name), each)) for name, each in named.items())
    return Items("generator", tuple(pairs))


@does("torch.nn.ModuleDict.items", "torch.nn.ModuleDict.keys", "torch.nn.ModuleDict.values")
def list_named_modules(machine: Machine, node: ast.AST, given: Given) -> Value:
    """What a ModuleDict holds."""
    held = given.pick(0)
    entries = machine.state.read(held.address).get("entries") if isinstance(held, Held) else None
    return LIBRARY["dict.items"](machine, node, Given((entries or UNKNOWN,)))


@does("torch.nn.Parameter", "torch.nn.parameter.Parameter", "torch.nn.Buffer")
def make_parameter(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`nn.Parameter(tensor)`."""
    data = given.pick(0, "data")
    shape, dtype = (data.shape, data.dtype) if isinstance(data, Tensor) else (None, None)
    name = f"parameter {getattr(node, 'lineno', 0)}"
    return Tensor(shape, dtype, "parameter", name, frozenset({name}), data=False)
