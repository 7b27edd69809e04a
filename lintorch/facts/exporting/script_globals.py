"""Names of a file that compiled code does not see, and values that cannot be attributes of a compiled module."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.facts.classes.classes import HasClasses
from lintorch.facts.exporting.compiled_code import CompiledCode
from lintorch.facts.names.lookup import HasNames
from lintorch.syntax.literals import UNKNOWN, literal

_VALUES = frozenset(
    f"torch.{name}"
    for name in ("device", "tensor", "ones", "zeros", "eye", "arange", "linspace", "randn", "full")
)
_TYPES = ("torch.float", "torch.int", "torch.half", "torch.double", "torch.bfloat", "torch.long", "torch.bool")  # fmt: skip
_LOGGERS = "logging.getLogger"


def list_unseen(here: CompiledCode, source: HasNames) -> Iterator[cst.Name]:
    """Reads of what the file's top gives a plain value, a tensor, a device or a logger."""
    for name in here.nodes(cst.Name):
        if not _is_read(name, here) or any(
            isinstance(e, cst.Raise) for e in here.file.ancestors(name)
        ):
            continue
        bound = source.names.bound(name)
        made = bound[0].node if len(bound) == 1 and bound[0].kind == "assign" else None
        if (
            isinstance(made, cst.BaseExpression)
            and _is_at_top(made, here)
            and _is_value(made, source)
        ):
            yield name


def _is_read(name: cst.Name, here: CompiledCode) -> bool:
    outer = here.file.parent(name)
    if isinstance(outer, cst.Attribute):
        return outer.value is name
    if isinstance(outer, cst.Arg):
        return outer.value is name
    return not isinstance(outer, (cst.AssignTarget, cst.Annotation, cst.Param, cst.NameItem))


def _is_at_top(made: cst.BaseExpression, here: CompiledCode) -> bool:
    """Whether it stands outside of all functions and classes, and is all of what is assigned."""
    outer = here.file.parent(made)
    inside = here.file.enclosing(made, cst.FunctionDef, cst.ClassDef) is not None
    return isinstance(outer, (cst.Assign, cst.AnnAssign)) and outer.value is made and not inside


def _is_value(made: cst.BaseExpression, source: HasNames) -> bool:
    if isinstance(made, (cst.List, cst.Tuple, cst.Dict)):
        parts = [getattr(each, "value", None) for each in made.elements]
        return bool(parts) and all(literal(each) is not UNKNOWN for each in parts)
    if isinstance(made, cst.Call):
        name = source.names.name(made.func)
        return name in _VALUES or name == _LOGGERS
    if isinstance(made, cst.Attribute):
        return source.names.name(made).startswith(_TYPES)
    value = literal(made)
    return value is not UNKNOWN and value is not None


def tell_unkept(made: cst.BaseExpression, source: HasClasses) -> str:
    """What a value is that a compiled module cannot hold; "" of all others."""
    if isinstance(made, cst.Lambda):
        return "a lambda"
    if isinstance(made, cst.Set):
        return "a set"
    if isinstance(made, cst.List):
        types = {type(literal(each.value)) for each in made.elements}
        known = all(literal(each.value) is not UNKNOWN for each in made.elements)
        return "a list of several types" if known and len(types) > 1 else ""
    name = source.names.name(made.func) if isinstance(made, cst.Call) else ""
    if name == "functools.partial":
        return "a partial"
    if name in ("range", "set"):
        return f"a {name}"
    arrays = ("numpy.array", "numpy.zeros", "numpy.ones", "numpy.arange", "numpy.linspace")
    return "an array of NumPy" if name in arrays else ""
