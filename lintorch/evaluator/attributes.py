"""What attributes give: of objects, classes, modules, tensors, and foreign names."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace

from lintorch.core.number_methods import NUMBER_METHODS
from lintorch.core.torch_methods import PARALLEL_WRAPPERS
from lintorch.evaluator.asked_settings import make_asked
from lintorch.evaluator.child_modules import name_children
from lintorch.evaluator.events import AttributeRead
from lintorch.evaluator.export_flags import is_set_for_export
from lintorch.evaluator.framework_modules import FRAMEWORKS, SAVES_SETTINGS
from lintorch.evaluator.join import make_choice
from lintorch.evaluator.layers import (
    CONTAINERS,
    DICTIONARIES,
    OF_CONTAINERS,
    read_layer_attribute,
)
from lintorch.evaluator.learn import note_rank_asked, teach_foreign, teach_tensors
from lintorch.evaluator.machine import Machine, evaluates, reads
from lintorch.evaluator.names import find_module, name_foreign, read_global
from lintorch.evaluator.objects import (
    MODULE,
    OWN_GRADIENT,
    find_class_attribute,
    is_module_class,
    list_ancestors,
)
from lintorch.evaluator.other_kinds import is_foreign
from lintorch.evaluator.signatures.find_signatures import is_known
from lintorch.evaluator.sizes import Dim
from lintorch.evaluator.torch_version import VersionText, find_version, name_kind
from lintorch.evaluator.unknown_objects import read_missing
from lintorch.evaluator.values import (
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
    ModuleValue,
    Number,
    Spot,
    Super,
    Tensor,
    Unknown,
    Value,
    Via,
    make_number,
    name_setting,
)
from lintorch.evaluator.written_names import (
    CODE,
    SIGNATURE,
    find_function,
    read_code,
    read_signature,
)
from lintorch.evaluator.zoo_models import is_zoo_class, name_part

_SAME = frozenset({"data", "grad"})
_PARTS = {"complex32": "float16", "complex64": "float32", "complex128": "float64"}
"""The types of the real and the imaginary part."""
_TELLING = frozenset({"shape", "dtype", "ndim", "T", "grad"})
"""What is asked of tensors alone."""
_CONFIGURATIONS = frozenset({"EasyDict", "CfgNode", "ConfigDict", "AttrDict", "Munch"})
"""Classes of packages, by whatever path, whose objects hold the settings of a project."""
_TURNED = frozenset({"mT", "mH", "H"})
"""Views with the two last axes exchanged."""
_NAMED_RESULTS = ("values", "indices")
_SWITCHES = frozenset(
    {
        "is_cuda",
        "is_cpu",
        "is_sparse",
        "requires_grad",
        "is_leaf",
        "is_quantized",
        "is_mps",
        "is_xpu",
    }
)


@evaluates(ast.Attribute)
def evaluate_attribute(machine: Machine, node: ast.Attribute) -> Value:
    """`held.name`."""
    return machine.read_attribute(node, machine.evaluate(node.value), node.attr)


@reads(Choice)
def read_either(machine: Machine, node: ast.AST, held: Choice, name: str) -> Value:
    """An attribute of one of several; those that have none are not the one."""
    known = [each for each in held.alternatives if not isinstance(each, Constant) or each.value]

    def take(each: Value) -> Callable[[], Value]:
        return lambda: machine.read_attribute(node, each, name)

    if len(known) == 1:
        return machine.read_attribute(node, known[0], name)
    return make_choice(tuple(take(each)() for each in known)) if known else UNKNOWN


@reads(External)
def read_external(machine: Machine, node: ast.AST, held: External, name: str) -> Value:
    """An attribute of a foreign module or class; a folder without `__init__.py` may hold a file."""
    dotted = f"{held.path}.{name}"
    known = find_version(dotted)
    if known is not None:
        return Constant(known)
    if not held.path.startswith(("torch", "numpy")):
        found = machine.library.find(dotted, machine.here.file)
        if found is not None:
            return ModuleValue(found)
    return name_foreign(machine.library.canonical(dotted))


@reads(ModuleValue)
def read_of_module(machine: Machine, node: ast.AST, held: ModuleValue, name: str) -> Value:
    """An attribute of a file of the project."""
    if name in held.file.bindings or held.file.star_imports:
        return read_global(machine, held.file, name)
    found = find_module(machine, held.file, f"{held.file.name}.{name}")
    return found if isinstance(found, ModuleValue) else UNKNOWN


@reads(Class)
def read_of_class(machine: Machine, node: ast.AST, held: Class, name: str) -> Value:
    """An attribute of a class."""
    found = find_class_attribute(machine, held, name)
    if isinstance(found, Function) and found.kind == "class":
        return Bound(found, (held,), method=name)
    if found is not None:
        return found
    if name == "__name__":
        return Constant(held.name)
    for each in list_ancestors(held):
        if isinstance(each, External):
            if name == "apply" and each.path == "torch.autograd.Function":
                return _bind_function(machine, held)
            return External(f"{each.path}.{name}")
    return UNKNOWN


def _bind_function(machine: Machine, held: Class) -> Value:
    """`apply` of a function with a gradient of its own: its forward, which a context is given."""
    forward = find_class_attribute(machine, held, "forward")
    if not isinstance(forward, Function):
        return UNKNOWN
    if find_class_attribute(machine, held, "setup_context") is not None:
        return Bound(forward, (), method=f"{held.name}{OWN_GRADIENT}")
    context = machine.hold("object", {}, External("torch.autograd.function.FunctionCtx"))
    own = (held, context) if forward.kind == "class" else (context,)
    symbolic = find_class_attribute(machine, held, "symbolic") is not None
    if symbolic or _hands_memory(forward.node):  # exporters ask that instead, or see nothing of it
        return Bound(External("lintorch.scripted"), (forward, *own))
    return Bound(forward, own, method=f"{held.name}{OWN_GRADIENT}")


def _hands_memory(function: ast.AST) -> bool:
    """Whether a function gives the addresses of its tensors to a kernel: `x.data_ptr()`."""
    inner = ast.walk(function)
    return any(isinstance(each, ast.Attribute) and each.attr == "data_ptr" for each in inner)


@reads(Super)
def read_of_super(machine: Machine, node: ast.AST, held: Super, name: str) -> Value:
    """`super().name`."""
    kind = held.instance.of if isinstance(held.instance, Held) else held.instance
    found = find_class_attribute(machine, kind, name, held.after)
    if isinstance(found, Function):
        return found if found.kind == "static" else Bound(found, (held.instance,), method=name)
    for each in list_ancestors(kind):
        if isinstance(each, External):
            return bind_foreign(machine, each.path, held.instance, name)
    return UNKNOWN


def bind_foreign(machine: Machine, path: str, held: Value, name: str) -> Bound:
    """A method that an object has from a foreign class: from a dictionary that of its entries."""
    if path in DICTIONARIES and isinstance(held, Held):
        entries = machine.state.read(held.address).get("entries")
        if isinstance(entries, Held):
            return Bound(External(f"dict.{name}"), (entries,), method=name)
    return Bound(External(f"{path}.{name}"), (held,), method=name)


@reads(Held)
def read_of_object(machine: Machine, node: ast.AST, held: Held, name: str) -> Value:
    """`object.name`: its own, its class's, or what a foreign base has."""
    if held.kind != "object":
        return Bound(External(f"{held.kind}.{name}"), (held,), method=name)
    content = machine.state.read(held.address)
    own = content.get(name)
    if isinstance(own, Constant) and content.get("open") is UNKNOWN:
        return make_asked(machine, name)  # `held.__dict__[key] = value` may have set it anew
    if isinstance(own, Constant) and _is_left_to_a_file(held, own):
        return make_asked(machine, name)
    if isinstance(own, Value):
        if is_set_for_export(machine, name, own):
            return OPEN_BOOL
        setting = name_setting(own)
        return make_asked(machine, setting) if setting else own
    entries = machine.state.read(held.address).get("entries")
    if isinstance(entries, Held) and name in machine.state.read(entries.address):
        return machine.state.read(entries.address)[name]  # type: ignore[no-any-return]
    found = find_class_attribute(machine, held.of, name)
    if isinstance(found, Function):
        return _bind_method(machine, node, held, found, name)
    if found is not None:
        return OPEN_BOOL if is_set_for_export(machine, name, found) else found
    if name == "__class__" and held.of is not None:
        return held.of
    if name == "__dict__":
        return Held(held.address, "dict")
    if name == "_modules" and (children := name_children(machine, held)):
        return machine.hold("dict", children)
    return _read_foreign(machine, node, held, name)


def _is_left_to_a_file(held: Held, own: Constant) -> bool:
    """`cfg.MODEL.DIM = -1` of a configuration: no size, but the place of one that a file gives."""
    kind = held.of.path.rpartition(".")[2] if isinstance(held.of, External) else ""
    return kind in _CONFIGURATIONS and type(own.value) is int and own.value < 0


def _bind_method(machine: Machine, node: ast.AST, held: Held, found: Function, name: str) -> Value:
    if found.kind == "property":
        return machine.call(node, found, Given((held,)))
    if found.kind == "static":
        return found
    bound = held.of if found.kind == "class" and held.of is not None else held
    return Bound(found, (bound,), method=name)


_TRAINING = ("training", "is_train", "is_training", "train_mode", "training_mode")
"""The mode, also as trainers set it from outside on a model that does not: who exports it has left training."""


def _read_foreign(machine: Machine, node: ast.AST, held: Held, name: str) -> Value:
    for each in list_ancestors(held.of):
        if isinstance(each, External) and each.path != MODULE:
            value = read_layer_attribute(machine, held, each.path, name)
            if value is not None:
                return value
    if name in _TRAINING and is_module_class(held.of):
        return Constant(False) if machine.here.forward else OPEN_BOOL
    getter = find_class_attribute(machine, held.of, "__getattr__")
    has_itself = is_module_class(held.of) and is_known(f"{MODULE}.{name}")
    if isinstance(getter, Function) and not has_itself:  # it is asked for what is not there
        return read_missing(machine, held, name)
    foreign = [each.path for each in list_ancestors(held.of) if isinstance(each, External)]
    if not foreign or foreign[0] == "argparse.Namespace":
        return read_missing(machine, held, name)
    if foreign[0] in FRAMEWORKS and not is_known(f"{MODULE}.{name}"):
        saves = SAVES_SETTINGS.endswith(f".{name}")
        return Bound(External(SAVES_SETTINGS), (held,), method=name) if saves else UNKNOWN
    if is_zoo_class(foreign[0]) and not is_known(f"{MODULE}.{name}"):
        return _read_part(machine, held, foreign[0], name)
    if machine.shallow and isinstance(held.of, Class) and not is_known(f"{MODULE}.{name}"):
        return read_missing(machine, held, name)
    contained = foreign[0] in CONTAINERS and (name in OF_CONTAINERS or name.startswith("_"))
    home = foreign[0] if not is_module_class(held.of) or contained else MODULE
    method = bind_foreign(machine, home, held, name)
    if name in ("device", "dtype") or foreign[0] in PARALLEL_WRAPPERS:
        machine.tell(AttributeRead, node, held, name, method)  # which it may not have
    return method


def _read_part(machine: Machine, held: Held, path: str, name: str) -> Value:
    """`model.fc` of a model of another package."""
    kind = name_part(path, name)
    if not kind:
        return read_missing(machine, held, name)
    part = machine.hold("object", {}, External(kind))
    machine.state.write(held.address)[name] = part
    return part


@reads(Tensor)
def read_of_tensor(machine: Machine, node: ast.AST, held: Tensor, name: str) -> Value:
    """`tensor.shape` and the like; methods are bound."""
    if name == "ndim":
        note_rank_asked(machine, held)
    if name in ("shape", "data", "T", "device", "dtype", "grad", "ndim") or name in _TURNED:
        result = read_shape(machine, node, held) if name == "shape" else _read_known(held, name)
        machine.presumed = machine.presumed or held.data is None
        if name in _TELLING:
            teach_tensors(machine, (held,))
        machine.tell(AttributeRead, node, held, name, result)
        return result
    if name in ("real", "imag"):
        return replace(held, dtype=_PARTS.get(held.dtype or "", held.dtype))
    if name in _SAME:
        return held
    if name == "is_cuda" and machine.here.forward:
        return Constant(False)  # what is exported lies on the CPU
    if name == "requires_grad" and machine.here.forward:
        return Constant(False)  # and nobody goes back through it
    if name in _SWITCHES:
        return OPEN_BOOL
    if name in ("itemsize", "nbytes"):
        return Number(None, whole=True)
    if held.origin == "input" and held.data is None and is_foreign(name):
        teach_foreign(machine, held, name)
    return Bound(External(f"torch.Tensor.{name}"), (held,), method=name)


def _read_known(held: Tensor, name: str) -> Value:
    if name == "ndim":
        known = held.shape is not None and not held.guessed
        return Constant(len(held.shape or ())) if known else Number(None, True, False)
    if name == "T" and held.shape is not None:
        return _turn(held, held.shape[::-1])
    if name in _TURNED:
        shape = (*held.shape[:-2], *held.shape[:-3:-1]) if held.shape is not None else None
        return _turn(held, shape)
    if name == "dtype" and held.dtype:
        return External(f"torch.{held.dtype}")
    if name in ("data", "grad"):
        return replace(held, aside=held.aside or name == "data")
    return Unknown(f"tensor.{name}") if name != "T" else _turn(held, None)


def _turn(held: Tensor, shape: tuple[Dim, ...] | None) -> Tensor:
    """A view of a tensor with axes exchanged."""
    return Tensor(
        shape, held.dtype, memory=held.memory, sure=held.sure, guessed=held.guessed,
        data=held.data is not False,
    )  # fmt: skip


def read_shape(machine: Machine, node: ast.AST, held: Tensor) -> Value:
    """`tensor.shape`, whose numbers remember where they were read off `tensor.data`."""
    shape = shape_of_tensor(held)
    if not held.aside or not isinstance(shape, Items):
        return shape
    spot = machine.spot(node)
    if shape.items is None:
        return replace(shape, each=note_aside(shape.each, spot))
    return replace(shape, items=tuple(note_aside(each, spot) for each in shape.items))


def note_aside(value: Value, spot: Spot) -> Value:
    """A size that was read off `tensor.data` there."""
    if not isinstance(value, Number) or value.varies is False:
        return value
    return replace(value, via=value.via | {Via(".data", spot, value.size, True)})


def shape_of_tensor(held: Tensor) -> Value:
    """`tensor.shape`."""
    if held.shape is None:
        each = Number(None, whole=True, varies=None)
        own = held.name if held.origin == "input" else ""
        whole = Items("Size", None, each, of_input=own, like_input=held.ranked_as)
        if held.rows is None:
            return whole
        return replace(whole, spread=((make_number(held.rows),), whole, ()))
    return Items("Size", tuple(map(make_number, held.shape)), guessed=held.guessed)


@reads(Array)
def read_of_array(machine: Machine, node: ast.AST, held: Array, name: str) -> Value:
    """`array.shape` and the like."""
    if name == "shape":
        items = None if held.shape is None else tuple(map(make_number, held.shape))
        return Items("tuple", items, Number(None, whole=True))
    if name in ("size", "ndim"):
        return Number(None, whole=True)
    if name == "T":
        return replace(held, shape=None if held.shape is None else held.shape[::-1])
    return Bound(External(f"numpy.ndarray.{name}"), (held,), method=name)


@reads(Number)
def read_of_number(machine: Machine, node: ast.AST, held: Number, name: str) -> Value:
    """A method of a number that NumPy worked out, or one that tensors lack."""
    if name in ("astype", "item", "tolist") and any(v.name.startswith("numpy.") for v in held.via):
        return Bound(External(f"numpy.number.{name}"), (held,), method=name)
    if name in NUMBER_METHODS:
        return Bound(External(f"number.{name}"), (held,), method=name)
    return machine.unknown_from(held, f".{name}")


def _read_release(version: VersionText, name: str) -> Value:
    """A part of a version that was parsed."""
    numbers = (*version.numbers, 0, 0, 0)[:3]
    if name in ("release", "version"):
        return Items("tuple", tuple(map(Constant, numbers)))
    return Constant(numbers[name == "minor"])


@reads(Constant)
def read_of_constant(machine: Machine, node: ast.AST, held: Constant, name: str) -> Value:
    """A method of a text or number."""
    machine.asked.absent = machine.asked.absent or held.value is None
    if isinstance(held.value, VersionText) and name in ("release", "version", "major", "minor"):
        return _read_release(held.value, name)
    kind = name_kind(held.value)
    return (
        UNKNOWN if held.value is None else Bound(External(f"{kind}.{name}"), (held,), method=name)
    )


@reads(Items)
def read_of_items(machine: Machine, node: ast.AST, held: Items, name: str) -> Value:
    """A method of a tuple or of a Size, or what some operators name in their results."""
    if held.kind == "tuple" and name in _NAMED_RESULTS and len(held.items or ()) == 2:
        return (held.items or ())[_NAMED_RESULTS.index(name)]
    return Bound(External(f"{held.kind}.{name}"), (held,), method=name)


@reads(Function)
def read_of_function(machine: Machine, node: ast.AST, held: Function, name: str) -> Value:
    """`f.__name__`."""
    if name == "__code__":
        return Bound(CODE, (held,))
    return Constant(held.name) if name == "__name__" else UNKNOWN


@reads(Bound)
def read_of_bound(machine: Machine, node: ast.AST, held: Bound, name: str) -> Value:
    """An attribute of a method or partial function; `@width.setter` in the body of a class."""
    if held.function == External("property") and name == "setter":
        return Bound(External("property.setter"), held.positional[:1])
    if held.function == SIGNATURE:
        return read_signature(machine, held.positional[0], name)
    function, _ = find_function(held)
    if held.function == CODE:
        function, _ = find_function(held.positional[0])
        return read_code(function, name) if function else UNKNOWN
    if name == "__code__" and function:
        return Bound(CODE, (function,))
    return {"func": held.function, "args": Items("tuple", held.positional)}.get(name, UNKNOWN)
