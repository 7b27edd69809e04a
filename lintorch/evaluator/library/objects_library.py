"""Functions that ask and change objects: `getattr`, `isinstance`, `super`, `functools`, nn.Module's methods."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import replace
from typing import TypeGuard

from lintorch.evaluator.assign import set_attribute, set_item
from lintorch.evaluator.join import ITEMS
from lintorch.evaluator.library.table import LIBRARY, does
from lintorch.evaluator.machine import Machine
from lintorch.evaluator.model_modes import MODES
from lintorch.evaluator.objects import (
    MODULE,
    find_class_attribute,
    has_open_base,
    is_module_class,
    list_ancestors,
)
from lintorch.evaluator.truth import known_items
from lintorch.evaluator.values import (
    FALSE,
    NONE,
    OPEN_BOOL,
    UNKNOWN,
    Array,
    Bound,
    Choice,
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
from lintorch.evaluator.zoo_models import is_zoo_class

_PYTHON_CLASSES = {
    "int": int, "float": float, "str": str, "bool": bool, "bytes": bytes, "complex": complex,
}  # fmt: skip
_ITEM_CLASSES = {"tuple": ("tuple", "Size"), "list": ("list",), "set": ("set",), "dict": ("dict",)}


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
        found = has_attribute(machine, held, name.value)
        return OPEN_BOOL if found is None else Constant(found)
    return OPEN_BOOL


def has_attribute(machine: Machine, held: Value, name: str) -> bool | None:
    """Whether a value has an attribute; None where that is not known."""
    if not isinstance(held, Held) or held.kind != "object":
        return None
    if name in machine.state.read(held.address):
        return True
    if find_class_attribute(machine, held.of, name) is not None:
        return True
    foreign = [each.path for each in list_ancestors(held.of) if isinstance(each, External)]
    if has_open_base(held.of) or any(path not in (MODULE, "object") for path in foreign):
        return None
    if find_class_attribute(machine, held.of, "__getattr__") is not None:
        return None
    return None if foreign and name in _MODULE_NAMES else False


_MODULE_NAMES = frozenset(
    {"training", "forward", "parameters", "modules", "children", "to", "eval"}
)


@does("isinstance", "issubclass")
def ask_class(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`isinstance(value, kind)`."""
    value, kind = given.pick(0) or UNKNOWN, given.pick(1) or UNKNOWN
    kinds = known_items(machine, kind) if isinstance(kind, (Items, Held)) else (kind,)
    if kinds is None:
        return OPEN_BOOL
    values = value.alternatives if isinstance(value, Choice) else (value,)
    answers = {_is_any(each, kinds) for each in values}
    found = answers.pop() if len(answers) == 1 else None
    return OPEN_BOOL if found is None else Constant(found)


def _is_any(value: Value, kinds: Iterable[Value]) -> bool | None:
    answers = [is_instance(value, each) for each in kinds]
    return True if True in answers else None if None in answers else False


def is_instance(value: Value, kind: Value) -> bool | None:
    """Whether a value is of a class; None where that is not known."""
    path = kind.path if isinstance(kind, External) else ""
    if path.startswith(_ABSTRACT):
        return _is_abstract(value, path.rpartition(".")[2])
    if isinstance(value, Tensor):
        return _of_foreign(path, ("torch.Tensor", "torch.nn.Parameter"), value.sure, value.origin)
    if isinstance(value, Array):
        return path in ("numpy.ndarray",)
    if isinstance(value, Constant):
        return _is_constant(value, path) if isinstance(kind, External) else False
    if isinstance(value, Number):
        if path in ("int", "float"):
            return None if value.whole is None else value.whole is (path == "int")
        return False
    if isinstance(value, Items):
        return value.kind in _ITEM_CLASSES.get(path, (path,)) if path else False
    if isinstance(value, Held):
        return _is_held_instance(value, kind, path)
    if isinstance(value, (Function, Class, Bound)):
        return False if isinstance(kind, Class) or path.startswith("torch.nn.") else None
    return None


_ABSTRACT = ("collections.", "typing.", "numbers.")
_ITERABLE = frozenset({"Iterable", "Container", "Collection", "Sized"})
_HASHABLE = frozenset({"Hashable"})
_KINDS = {
    "list": _ITERABLE | {"Sequence", "MutableSequence", "Reversible"},
    "tuple": _ITERABLE | _HASHABLE | {"Sequence", "Reversible"},
    "dict": _ITERABLE | {"Mapping", "MutableMapping", "Reversible"},
    "set": _ITERABLE | {"Set", "AbstractSet", "MutableSet"},
    "range": _ITERABLE | _HASHABLE | {"Sequence", "Reversible"},
    "str": _ITERABLE | _HASHABLE | {"Sequence", "Reversible"},
    "number": _HASHABLE | {"Number", "Complex", "Real"},
}
_SAID_OF_ALL = frozenset().union(*_KINDS.values()) | {"Callable", "Integral"}


def _is_abstract(value: Value, name: str) -> bool | None:
    """Whether a value is of an abstract class: `isinstance(size, Iterable)`."""
    if name not in _SAID_OF_ALL:
        return None
    if isinstance(value, Tensor):
        return name in _ITERABLE | _HASHABLE | {"Reversible"} if value.sure else None
    kind = _kind_of(value)
    if kind == "number" and name == "Integral":
        return isinstance(value.value, int) if isinstance(value, Constant) else None
    return name in _KINDS[kind] if kind in _KINDS else None


def _kind_of(value: Value) -> str:
    if isinstance(value, Constant):
        kinds = {str: "str", int: "number", float: "number", bool: "number"}
        return kinds.get(type(value.value), "")
    if isinstance(value, Number):
        return "number"
    if isinstance(value, (Items, Held)):
        return "tuple" if value.kind == "Size" else value.kind
    return ""


def _of_foreign(path: str, kinds: tuple[str, ...], sure: bool, origin: str) -> bool | None:
    if path == kinds[0]:
        return True if sure else None
    if path == kinds[1]:
        return True if origin == "parameter" else None
    return False if sure and path else None


def _is_constant(value: Constant, path: str) -> bool | None:
    if path in _PYTHON_CLASSES:
        return isinstance(value.value, _PYTHON_CLASSES[path])
    return False


def _is_held_instance(value: Held, kind: Value, path: str) -> bool | None:
    if value.kind != "object":
        return value.kind in _ITEM_CLASSES.get(path, ())
    if isinstance(kind, Unknown) or value.of is None:
        return None
    if any(each == kind for each in list_ancestors(value.of)):
        return True
    if path == MODULE and is_module_class(value.of):
        return True
    if _is_foreign_model(value):
        return None
    return None if has_open_base(value.of) else _differs(value, path)


def _differs(value: Held, path: str) -> bool | None:
    """Foreign classes may derive from each other, but for those of torch.nn, which are told apart."""
    foreign = [each.path for each in list_ancestors(value.of) if isinstance(each, External)]
    known = [name for name in foreign if not name.startswith("torch.nn.") and name != "object"]
    if known and path and not path.startswith("torch.nn."):
        return None
    return None if path.endswith(("_BatchNorm", "_ConvNd", "_NormBase", "RNNBase")) else False


@does("type")
def ask_type(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`type(x)`."""
    value = given.pick(0)
    if isinstance(value, Held) and value.of is not None:
        return value.of
    return External("torch.Tensor") if isinstance(value, Tensor) and value.sure else UNKNOWN


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
    first = given.pick(0)
    path = node.id if isinstance(node, ast.Name) else "functools.cached_property"
    return Bound(External(path), (first,)) if first is not None else UNKNOWN


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
            value = Tensor(
                value.shape, value.dtype, "buffer", name.value, frozenset({f"buffer {name.value}"}),
                data=False,
            )  # fmt: skip
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
    named = _name_children(machine, given.pick(0))
    if named is not None:
        return Items("generator", tuple(named.values()))
    return Items("generator", None, machine.hold("object", {}, External(MODULE)))


@does(f"{MODULE}.named_children", f"{MODULE}.named_modules")
def list_named_children(machine: Machine, node: ast.AST, given: Given) -> Value:
    """The same with their names; of `named_modules` only that they are modules."""
    asked = node.func if isinstance(node, ast.Call) else None
    named = _name_children(machine, given.pick(0))
    if named is None or not isinstance(asked, ast.Attribute) or asked.attr != "named_children":
        module = machine.hold("object", {}, External(MODULE))
        return Items("generator", None, Items("tuple", (UNKNOWN, module)))
    pairs = (Items("tuple", (Constant(name), each)) for name, each in named.items())
    return Items("generator", tuple(pairs))


def _name_children(machine: Machine, held: Value | None) -> dict[str, Value] | None:
    if not isinstance(held, Held) or not is_module_class(held.of) or _is_foreign_model(held):
        return None
    content = machine.state.read(held.address)
    items = content.get(ITEMS)
    if items is not None:
        return {str(number): each for number, each in enumerate(items)}
    own = {k: v for k, v in content.items() if isinstance(k, str)}
    return {k: v for k, v in own.items() if isinstance(v, Held) and is_module_class(v.of)}


def _is_foreign_model(held: Held) -> bool:
    """Whether it is a module of which nobody knows the parts."""
    path = held.of.path if isinstance(held.of, External) else ""
    return path == MODULE or is_zoo_class(path)


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
