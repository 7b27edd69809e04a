"""Writes to the memory of tensors, as they happen: by items, operators, methods, arguments, layers."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import lru_cache

from lintorch.evaluator.events import (
    AttributeRead,
    Called,
    Combined,
    Indexed,
    ItemSet,
    Occurrence,
)
from lintorch.evaluator.items import KEY
from lintorch.evaluator.subscripts import split_index
from lintorch.evaluator.unknown_objects import UnknownCalled, UnknownMethod
from lintorch.evaluator.values import (
    NONE,
    TRUE,
    Constant,
    Number,
    Slice,
    Tensor,
    Unknown,
    Value,
)
from lintorch.facts.models.value_ways import Operation, ValueWays, list_operands

_KEEP_MEMORY = frozenset(
    {
        "requires_grad_", "share_memory_", "retain_grad_", "record_stream_", "rename_", "apply_",
        "register_hook_", "detach_",
    }
)  # fmt: skip
_CONVERSIONS = frozenset(
    {
        "to", "type_as", "type", "float", "double", "half", "bfloat16", "long", "int", "bool", "cpu",
        "cuda",
    }
)  # fmt: skip
"""Methods that give the same tensor only where it is what they are asked for already."""
_VIEWS = frozenset(
    {
        "view", "view_as", "reshape", "flatten", "unflatten", "ravel", "squeeze", "unsqueeze",
        "transpose", "permute", "swapaxes", "swapdims", "movedim", "moveaxis", "t", "narrow", "select",
        "detach", "broadcast_to", "chunk", "split", "tensor_split", "unbind", "diagonal", "expand", "expand_as",
        "contiguous",
    }
)  # fmt: skip
_COPYING = frozenset({"reshape", "flatten", "ravel", "contiguous"})
"""Those of them that copy where the memory does not allow a view."""
_IN_ORDER = frozenset({"view", "view_as", "unflatten", "squeeze", "unsqueeze"})
_ATTRIBUTES = ("T", "mT", "mH", "data", "real")
_STEPS = 24

View = Operation | UnknownCalled | UnknownMethod


def find_written(event: Occurrence) -> Tensor | None:
    """The tensor whose memory is written to, if that is what happens."""
    written: Value | None = None
    if isinstance(event, Called):
        written = _find_called(event)
    elif isinstance(event, ItemSet):
        written = None if _is_key(event.index) else event.held
    elif isinstance(event, Combined):
        item = isinstance(event.node, ast.AugAssign) and isinstance(
            event.node.target, ast.Subscript
        )
        written = event.left if event.inplace and not item else None
    return written if isinstance(written, Tensor) else None


def _is_key(index: Value) -> bool:
    """`"image"`, and what `batch.keys()` gives: the place is one of a mapping."""
    return index == KEY or (isinstance(index, Constant) and isinstance(index.value, str))


def find_changed(event: Occurrence) -> Value | None:
    """The same; also what is written to like a tensor and of which nothing is known.

    Of `n += 1` and `x[0] = 1` that may be a number or a list.
    """
    written = find_written(event)
    if written is not None:
        return written
    if isinstance(event, UnknownCalled):
        writes = is_write_method(event.method) and not event.method.startswith("_")
        return event.held if writes else None
    if isinstance(event, ItemSet):
        text = _is_key(event.index)
        return event.held if isinstance(event.held, Unknown) and not text else None
    if not isinstance(event, Combined) or not isinstance(event.node, ast.AugAssign):
        return None
    named = isinstance(event.node.target, ast.Name) and isinstance(event.left, Unknown)
    return event.left if named and event.inplace else None


def name_changed(event: Occurrence) -> str:
    """What is written to, as it is written."""
    node = event.node
    if isinstance(node, (ast.Assign, ast.AugAssign)):
        node = node.targets[0] if isinstance(node, ast.Assign) else node.target
    if isinstance(node, ast.Call):
        owner = node.func if isinstance(node.func, ast.Attribute) else None
        method = owner is not None and (
            isinstance(event, UnknownCalled) or ".Tensor." in getattr(event, "name", "")
        )
        node = owner.value if owner is not None and method else next(iter(node.args), node)
    while isinstance(node, ast.Subscript):
        node = node.value
    return ast.unparse(node)


def _find_called(event: Called) -> Value | None:
    of_torch, of_tensor, writes = _describe_name(event.name)
    if writes and event.positional:
        return event.positional[0]
    if of_tensor or not of_torch:
        return None
    into = event.keyword.get("out", NONE)
    if into != NONE:
        return into
    if event.keyword.get("inplace", event.settings.get("inplace")) == TRUE or _is_inplace(event):
        layer = event.name.endswith(".forward")
        given = event.positional[1:] if layer else event.positional
        return given[0] if given else event.keyword.get("input")
    return None


@lru_cache(4096)
def _describe_name(name: str) -> tuple[bool, bool, bool]:
    """Whether it is of torch, whether a method of a tensor, and whether it says that it writes to one."""
    of_torch = name.startswith("torch.")
    writes = of_torch and is_write_method(name.rpartition(".")[2])
    return of_torch, name.startswith("torch.Tensor."), writes


def _is_inplace(event: Called) -> bool:
    functional = event.name.startswith("torch.nn.functional.")
    return functional and event.arguments.get("inplace") == TRUE


def is_write_method(name: str) -> bool:
    """Whether a method of a tensor writes to it: `add_`, `clamp_`."""
    return name.endswith("_") and not name.endswith("__") and name not in _KEEP_MEMORY


def gives_view(method: str) -> bool:
    """Whether what a method of a tensor gives may share its memory."""
    return method in _VIEWS | _CONVERSIONS or is_write_method(method)


def list_views(value: Value, ways: ValueWays, converted: bool = False) -> list[View] | None:
    """The operations by which a tensor shares the memory of another, last first; in-place ones are among them.

    None where it may as well be a copy; `converted`: what is converted to another type counts all the same.
    """
    found: list[View] = []
    for _ in range(_STEPS):
        made = _find_making(value, ways)
        if made is None:
            return found
        converts = _name_method(made) in _CONVERSIONS
        if converts and not converted:
            return None
        if not converts and not _gives_view(made):
            return found
        copies = any(map(_may_copy, found))
        if copies and not converted and not _keeps_order(made):
            return None
        found.append(made)
        value = _find_viewed(made)
    return None


def find_base(value: Value, views: Sequence[View]) -> Value:
    """What the last of these views is a view of."""
    return _find_viewed(views[-1]) if views else value


def _find_making(value: Value, ways: ValueWays) -> View | None:
    """What gave a value; `.data` of something unknown is told by nobody but the value itself."""
    if isinstance(value, UnknownMethod):
        return value if value.method in _ATTRIBUTES else None
    return ways.find_maker(value) or ways.find_unknown_maker(value)


def _find_viewed(made: View) -> Value:
    if isinstance(made, (UnknownCalled, UnknownMethod)):
        return made.held
    return next(list_operands(made))


def _name_method(made: View) -> str:
    """`view` of `x.view(-1)`; "" of what is no call."""
    if isinstance(made, UnknownCalled):
        return made.method
    return made.name.rpartition(".")[2] if isinstance(made, Called) else ""


def _gives_view(made: View) -> bool:
    if isinstance(made, UnknownMethod):
        return True
    if isinstance(made, UnknownCalled):
        return made.method in _VIEWS or is_write_method(made.method)
    if isinstance(made, Called):
        if made.built is not None or not any(list_operands(made)):
            return False
        return _name_method(made) in _VIEWS or find_written(made) is not None
    if isinstance(made, Indexed):
        return is_basic(made.index)
    if isinstance(made, AttributeRead):
        return made.attribute in _ATTRIBUTES
    return isinstance(made, Combined) and made.inplace


def _may_copy(made: View) -> bool:
    return _name_method(made) in _COPYING


def _keeps_order(made: View) -> bool:
    """Whether the numbers of a view stand in memory as those of its base do."""
    if isinstance(made, Combined):
        return True
    method = _name_method(made)
    return method in _COPYING | _IN_ORDER or _writes(made)


def _writes(made: View) -> bool:
    if isinstance(made, UnknownCalled):
        return is_write_method(made.method)
    return isinstance(made, Called) and find_written(made) is not None


def is_basic(index: Value) -> bool:
    """Whether indexing with it surely gives a view."""
    parts = split_index(index)
    return parts is not None and all(
        isinstance(part, (Slice, Number))
        or (isinstance(part, Constant) and not isinstance(part.value, bool))
        for part in parts
    )
