"""Functions that ask of a value which class it is: `isinstance`, `issubclass`, `type`."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from lintorch.core.torch_methods import PARALLEL_WRAPPERS
from lintorch.evaluator.exporter_questions import ask_size_class
from lintorch.evaluator.exporters import ABSTRACT
from lintorch.evaluator.join import make_choice
from lintorch.evaluator.library.table import does
from lintorch.evaluator.machine import Machine
from lintorch.evaluator.objects import (
    MODULE,
    has_open_base,
    is_foreign_model,
    is_module_class,
    list_ancestors,
)
from lintorch.evaluator.truth import known_items
from lintorch.evaluator.values import (
    OPEN_BOOL,
    UNKNOWN,
    Array,
    Bound,
    Choice,
    Class,
    ClassOfNumber,
    Constant,
    External,
    Function,
    Given,
    Held,
    Items,
    Number,
    Tensor,
    Unknown,
    Value,
)

_PYTHON_CLASSES = {
    "int": int, "float": float, "str": str, "bool": bool, "bytes": bytes, "complex": complex,
}  # fmt: skip
_ITEM_CLASSES = {
    "tuple": ("tuple", "Size"),
    "torch.Size": ("Size",),
    "list": ("list",),
    "set": ("set",),
    "dict": ("dict",),
}


@does("isinstance", "issubclass")
def ask_class(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`isinstance(value, kind)`."""
    value, kind = given.pick(0) or UNKNOWN, given.pick(1) or UNKNOWN
    kinds = known_items(machine, kind) if isinstance(kind, (Items, Held)) else (kind,)
    if kinds is None:
        return OPEN_BOOL
    named = [each.path for each in kinds if isinstance(each, External)]
    sized = ask_size_class(machine, value, named) if len(named) == len(kinds) else None
    if sized is not None:
        return sized
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
    if isinstance(value, Tensor) and isinstance(kind, Class):
        return _is_of_own(value, kind)
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


_ABSTRACT = (*(f"{module}." for module in ABSTRACT), "numbers.")
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


def _is_of_own(value: Tensor, kind: Class) -> bool | None:
    """Whether a tensor is of a class of the project: not what torch made, where that derives from no tensor.

    What a model is given may be an object of it.
    """
    above = [each.path for each in list_ancestors(kind) if isinstance(each, External)]
    open_ = has_open_base(kind) or any(each.endswith(("Tensor", "Parameter")) for each in above)
    return None if open_ or not value.sure or value.origin == "input" else False


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
    if any(each == kind or _is_same(each, path) for each in list_ancestors(value.of)):
        return True
    if path == MODULE and is_module_class(value.of):
        return True
    if is_foreign_model(value):
        return None
    return None if has_open_base(value.of) else _differs(value, path)


def _is_same(kind: Value, path: str) -> bool:
    """Whether it is a wrapper of torch that has several names: nn.DataParallel, nn.parallel.DataParallel."""
    of = kind.path if isinstance(kind, External) else ""
    parallel = of in PARALLEL_WRAPPERS and path.startswith("torch.nn.")
    return parallel and of.rpartition(".")[2] == path.rpartition(".")[2]


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
    if isinstance(value, Choice):
        each = (ask_type(machine, node, Given((one,))) for one in value.alternatives)
        return make_choice(tuple(each))
    if isinstance(value, Held) and value.of is not None:
        return value.of
    if isinstance(value, Number):
        return ClassOfNumber(value)
    return External("torch.Tensor") if isinstance(value, Tensor) and value.sure else UNKNOWN
