"""Which axes of what a model is fed an export leaves open: by `dynamic_axes`, or by `dynamic_shapes`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from lintorch.guest.calls.find_model_calls import ModelCall
from lintorch.guest.calls.needed_names import spell_dotted
from lintorch.guest.calls.unknown_value import UnknownValue
from lintorch.guest.construct.call_examples import OpenAxes


def read_open_axes(
    call: ModelCall, find: Callable[[Any], Any], fed: Sequence[str]
) -> OpenAxes | None:
    """The axes that an export leaves open; None for other calls, and where it cannot be worked out.

    `fed` names the parameters that the call feeds, in order.
    """
    if not spell_dotted(call.placed.node.func).endswith(("onnx.export", "export.export")):
        return None
    named = {keyword.arg: keyword.value for keyword in call.placed.node.keywords}
    if None in named:  # **options
        return None
    given = {
        name: find(named[name]) for name in ("dynamic_axes", "dynamic_shapes") if name in named
    }
    if any(isinstance(value, UnknownValue) for value in given.values()):
        return None
    if isinstance(axes := given.get("dynamic_axes"), Mapping):
        names = find(named["input_names"]) if "input_names" in named else None
        return _read_axes(axes, fed, names if isinstance(names, (list, tuple)) else ())
    if (shapes := given.get("dynamic_shapes")) is not None:
        return _read_shapes(shapes, fed)
    return ()


def names_dims(call: ModelCall, find: Callable[[Any], Any]) -> bool:
    """Whether `dynamic_shapes` of an export holds a `Dim` with a name."""
    given = {keyword.arg: keyword.value for keyword in call.placed.node.keywords}
    return "dynamic_shapes" in given and _holds_name(find(given["dynamic_shapes"]))


def _holds_name(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(map(_holds_name, value.values()))
    if isinstance(value, (list, tuple)):
        return any(map(_holds_name, value))
    return bool(_name_size(value)) and not isinstance(value, str)


def _read_axes(
    axes: Mapping[str, Any], fed: Sequence[str], names: Sequence[str]
) -> OpenAxes | None:
    """By the names that the export gives its inputs, in order; those of outputs are passed over."""
    parameter = {**dict(zip(fed, fed, strict=True)), **dict(zip(names, fed, strict=False))}
    found = [
        (parameter[name], axis, _name_size(where[axis]) if isinstance(where, Mapping) else "")
        for name, where in axes.items()
        if name in parameter and isinstance(where, (Mapping, list, tuple, set))
        for axis in where
        if type(axis) is int
    ]
    return tuple(found) if found or not axes else None


def _read_shapes(shapes: Any, fed: Sequence[str]) -> OpenAxes | None:
    """By parameter, or in order, as `torch.export.export` takes them."""
    if isinstance(shapes, (list, tuple)):
        shapes = dict(zip(fed, shapes, strict=False))
    if not isinstance(shapes, Mapping):
        return None
    return tuple(
        (name, axis, _name_size(size))
        for name, shape in shapes.items()
        for axis, size in _list_open(shape)
    )


def _list_open(shape: Any) -> Iterator[tuple[int, Any]]:
    """The axes that are left open, with what stands for their sizes."""
    if isinstance(shape, Mapping):
        pairs = [(axis, size) for axis, size in shape.items() if type(axis) is int]
    else:
        pairs = list(enumerate(shape)) if isinstance(shape, (list, tuple)) else []
    yield from ((axis, size) for axis, size in pairs if _is_open(size))


def _is_open(size: Any) -> bool:
    """Whether what stands for a size leaves it open: neither nothing, nor a number, nor `Dim.STATIC`."""
    return size is not None and type(size) is not int and "STATIC" not in repr(size)


def _name_size(size: Any) -> str:
    """`batch` of `Dim("batch")` and of "batch"; "" of `Dim.AUTO`, and of what is worked out from others."""
    name = size if isinstance(size, str) else getattr(size, "__name__", "")
    return name if isinstance(name, str) and name.isidentifier() else ""
