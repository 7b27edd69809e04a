"""Which expression's memory a statement or call writes to."""

from __future__ import annotations

import libcst as cst

from lintorch.core.torch_methods import INPLACE_FUNCTIONS
from lintorch.facts.classes.classes import HasClasses
from lintorch.syntax.literals import arguments, literal

_KEEP_MEMORY = frozenset(
    {"requires_grad_", "share_memory_", "retain_grad_", "record_stream_", "rename_", "apply_"}
)


def written_tensor(node: cst.CSTNode, source: HasClasses) -> cst.BaseExpression | None:
    """The tensor a node writes to if it is one: `x` of `x[0] = 1`, `x += 1`, `x.relu_()`.

    Also of `F.relu(x, inplace=True)` and of `self.act(x)`, where `self.act` was built in place.
    """
    if isinstance(node, cst.Call):
        return _called(node, source)
    if isinstance(node, cst.Assign):
        places = [t.target for t in node.targets if isinstance(t.target, cst.Subscript)]
        return places[0].value if places and not is_string_indexed(places[0]) else None
    if isinstance(node, cst.AugAssign):
        target = node.target
        if isinstance(target, cst.Subscript):
            return None if is_string_indexed(target) else target.value
        return target if isinstance(target, (cst.Name, cst.Attribute)) else None
    return None


def is_write_method(name: str) -> bool:
    """Whether a method of a tensor writes to it: `add_`, `clamp_`."""
    return name.endswith("_") and not name.endswith("__") and name not in _KEEP_MEMORY


def is_string_indexed(place: cst.Subscript) -> bool:
    """Whether a string is the index, as into a dictionary."""
    index = place.slice[0].slice
    return isinstance(index, cst.Index) and isinstance(literal(index.value), str)


def _called(call: cst.Call, source: HasClasses) -> cst.BaseExpression | None:
    func = call.func
    if isinstance(func, cst.Attribute) and is_write_method(func.attr.value):
        return None if source.names.name(func) else func.value
    first = call.args[0].value if call.args and not call.args[0].star else None
    if first is None or call.args[0].keyword is not None:
        return None
    if source.names.name(func) in INPLACE_FUNCTIONS:
        return first if _inplace(call) else None
    built = source.classes.built(func) if isinstance(func, cst.Attribute) else ()
    layers = built and all(source.names.name(b.func).startswith("torch.nn.") for b in built)
    return first if layers and all(_inplace(b) for b in built) else None


def _inplace(call: cst.Call) -> bool:
    return arguments(call).value("inplace", False) is True
