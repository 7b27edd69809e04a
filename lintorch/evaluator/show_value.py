"""A value as text: `float32[B, 64, H // 2, W // 2]`, `int H // 2 (varies)`, `torch.nn.ReLU()`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from lintorch.evaluator.join import ITEMS
from lintorch.evaluator.machine import Machine
from lintorch.evaluator.sizes import Dim
from lintorch.evaluator.unknown_objects import ScaledLoss, UnknownMethod
from lintorch.evaluator.values import (
    Array,
    Bound,
    ByExporter,
    Choice,
    Class,
    ClassOfNumber,
    Constant,
    External,
    Function,
    Given,
    Held,
    Items,
    ModuleValue,
    Number,
    Slice,
    Super,
    Tensor,
    Unknown,
    Value,
)

_MOST_ITEMS = 6
_MOST_TEXT = 60
_DEEPEST = 3
_BRACKETS = {"tuple": ("(", ")"), "list": ("[", "]"), "set": ("{", "}")}


def show_value(machine: Machine, value: Value, depth: int = 0) -> str:
    """What is known of a value as the machine stands; what is too deep or long is `…`."""
    shown = _SHOWN.get(type(value))
    return "unknown" if shown is None else shown(machine, value, depth)


def _show_constant(machine: Machine, value: Constant, depth: int) -> str:
    text = repr(value.value)
    return text if len(text) <= _MOST_TEXT else f"{text[:_MOST_TEXT]}…"


def _show_number(machine: Machine, value: Number, depth: int) -> str:
    kind = "bool" if value.truth else {True: "int", False: "float", None: "number"}[value.whole]
    size = f" {value.size}" if value.size is not None else ""
    return f"{kind}{size}{_describe_source(value)}"


def _show_by_exporter(machine: Machine, value: ByExporter, depth: int) -> str:
    return f"bool (under {', '.join(sorted(value.told)) or 'none'})"


def _describe_source(value: Number) -> str:
    if value.data:
        return " (read from data)"
    return " (varies)" if value.varies else ""


def _show_tensor(machine: Machine, value: Tensor, depth: int) -> str:
    return f"{value.dtype or 'tensor'}{_show_shape(value.shape)}"


def _show_array(machine: Machine, value: Array, depth: int) -> str:
    kind = f" of {value.dtype}" if value.dtype else ""
    return f"array{kind}{_show_shape(value.shape)}"


def _show_shape(shape: tuple[Dim, ...] | None) -> str:
    return "[...]" if shape is None else f"[{', '.join(map(str, shape))}]"


def _show_items(machine: Machine, value: Items, depth: int) -> str:
    if value.items is None:
        length = value.length.size if value.length is not None else None
        many = f"{length} times " if length is not None else "any number of "
        return f"{value.kind} of {many}{show_value(machine, value.each, depth + 1)}"
    first, last = _BRACKETS.get(value.kind, (f"{value.kind}(", ")"))
    comma = "," if value.kind == "tuple" and len(value.items) == 1 else ""
    return f"{first}{_show_several(machine, value.items, depth)}{comma}{last}"


def _show_several(machine: Machine, values: Iterable[Value], depth: int) -> str:
    values = tuple(values)
    if values and depth >= _DEEPEST:
        return "…"
    words = [show_value(machine, each, depth + 1) for each in values[:_MOST_ITEMS]]
    more = [f"… {len(values)} in all"] if len(values) > _MOST_ITEMS else []
    return ", ".join([*words, *more])


def _show_held(machine: Machine, value: Held, depth: int) -> str:
    content = machine.state.read(value.address)
    if value.kind == "dict":
        return _show_dictionary(machine, content, depth)
    if value.kind == "list":
        items = content.get(ITEMS)
        each = content.get("each", Unknown())
        return _show_items(machine, Items("list", items, each), depth)
    return _show_object(machine, value, content, depth)


def _show_dictionary(machine: Machine, content: Mapping[Any, Any], depth: int) -> str:
    known = [key for key in content if key != "open" and key is not ITEMS]
    if known and depth >= _DEEPEST:
        return "{…}"
    words = [f"{key!r}: {show_value(machine, content[key], depth + 1)}" for key in known]
    more = ["…"] if "open" in content or len(words) > _MOST_ITEMS else []
    return f"{{{', '.join([*words[:_MOST_ITEMS], *more])}}}"


def _show_object(machine: Machine, value: Held, content: Mapping[Any, Any], depth: int) -> str:
    if isinstance(value.of, Class):
        return f"{value.of.name} object"
    name = value.of.path if value.of is not None else "object"
    made = content.get("lintorch arguments")
    if isinstance(made, Given):
        return f"{name}({_show_given(machine, made, depth)})"
    if ITEMS in content:
        items = content[ITEMS]
        return f"{name}({'…' if items is None else _show_several(machine, items, depth)})"
    entries = content.get("entries")
    return f"{name}({show_value(machine, entries, depth) if isinstance(entries, Held) else ''})"


def _show_given(machine: Machine, given: Given, depth: int) -> str:
    if given.values and depth >= _DEEPEST:
        return "…"
    words = [show_value(machine, each, depth + 1) for each in given.positional[:_MOST_ITEMS]]
    words += [f"{k}={show_value(machine, v, depth + 1)}" for k, v in given.keyword.items()]
    return ", ".join([*words, *(["…"] if given.open else [])])


def _show_bound(machine: Machine, value: Bound, depth: int) -> str:
    inner = show_value(machine, value.function, depth + 1)
    return f"method {inner}" if value.method else f"partial({inner})"


def _show_choice(machine: Machine, value: Choice, depth: int) -> str:
    if depth >= _DEEPEST:
        return "…"
    return " | ".join(show_value(machine, each, depth + 1) for each in value.alternatives)


def _show_slice(machine: Machine, value: Slice, depth: int) -> str:
    ends = (value.start, value.stop, value.step)
    words = ["" if each == Constant(None) else show_value(machine, each) for each in ends]
    return ":".join(words if words[2] else words[:2])


def _show_unknown(machine: Machine, value: Unknown, depth: int) -> str:
    return f"unknown ({value.path})" if value.path else "unknown"


_SHOWN: dict[type[Value], Callable[[Machine, Any, int], str]] = {
    Constant: _show_constant,
    Number: _show_number,
    ByExporter: _show_by_exporter,
    ClassOfNumber: lambda machine, value, depth: "class of a number",
    Tensor: _show_tensor,
    Array: _show_array,
    Items: _show_items,
    Held: _show_held,
    Bound: _show_bound,
    Choice: _show_choice,
    Slice: _show_slice,
    External: lambda machine, value, depth: str(value.path),
    Function: lambda machine, value, depth: f"function {value.name}",
    Class: lambda machine, value, depth: f"class {value.name}",
    ModuleValue: lambda machine, value, depth: f"module {value.file.name}",
    Super: lambda machine, value, depth: f"super of {value.after.name}",
    Unknown: _show_unknown,
    UnknownMethod: _show_unknown,
    ScaledLoss: lambda machine, value, depth: "scaled loss",
}
