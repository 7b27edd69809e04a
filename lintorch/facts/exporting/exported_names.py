"""What the inputs and outputs of a written .onnx file are called, read off the call that writes it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Protocol

import libcst as cst

from lintorch.core.exporter_calls import DYNAMO_BY_DEFAULT, DYNAMO_SINCE, ONNX_EXPORT
from lintorch.facts.classes.classes import HasClasses
from lintorch.facts.exporting.export_calls import HasProfile, onnx_arguments
from lintorch.facts.exporting.file_keys import identify_file
from lintorch.facts.exporting.forward_names import list_forward_names
from lintorch.facts.names.kept_values import find_kept_value
from lintorch.facts.names.lookup import HasNames
from lintorch.syntax.literals import Arguments, literal

_MAKERS = frozenset(
    f"torch.{name}"
    for name in (
        "randn", "rand", "ones", "zeros", "empty", "full", "randint", "arange", "tensor", "eye",
    )
)  # fmt: skip
_MOVES = frozenset({"to", "cuda", "cpu", "half", "float", "long", "int", "double", "bfloat16"})


class HasExports(HasClasses, HasProfile, Protocol):
    """A file whose export calls are read."""


@dataclass(frozen=True)
class ExportedNames:
    """The names that one call gives, and what is certain of them."""

    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    no_other: bool = False
    """Whether every input of the file has one of these names."""
    all_there: bool = False
    """Whether every one of these names is an input of the file."""
    new: bool = False
    """Whether the new exporter writes it, which calls outputs without names by their operators."""


def list_exports(key: Hashable, source: HasExports) -> set[ExportedNames | None]:
    """What the export calls here call the inputs and outputs of a file; None among them is not known."""
    return {
        _read_export(call, source)
        for call in source.file.nodes(cst.Call)
        if source.names.name(call.func) == ONNX_EXPORT
        and identify_file(onnx_arguments(call).get("f"), source) == key
    }


def _read_export(call: cst.Call, source: HasExports) -> ExportedNames | None:
    given = onnx_arguments(call)
    if not _is_plain(call, given):
        return None
    new, outputs = _takes_new(given, source), read_names(given.get("output_names"), source) or ()
    count = None if given.get("kwargs") else _count_tensors(given.get("args"), source)
    inputs = _read_inputs(given, new, count, source)
    if not inputs or (count is not None and count > len(inputs) and not new):
        # a legacy file may lack inputs: which of more inputs than names have them is not known
        return ExportedNames(outputs=outputs, new=new)
    no_other = count is not None and count <= len(inputs)
    all_there = count is not None and new
    return ExportedNames(inputs[:count], outputs, no_other, all_there, new)


def _is_plain(call: cst.Call, given: Arguments) -> bool:
    """Whether all arguments are seen, and weights are no inputs."""
    weights = given.value("keep_initializers_as_inputs", None)
    places = [arg for arg in call.args if arg.keyword is None]
    if not given.complete or len(places) > 3 or weights not in (None, False):
        return False
    return given.value("export_params", True) is True


def _takes_new(given: Arguments, source: HasExports) -> bool:
    """Whether the new exporter surely writes the file."""
    release = source.profile.torch
    default = release >= DYNAMO_BY_DEFAULT
    return release >= DYNAMO_SINCE and given.value("dynamo", default) is True


def _read_inputs(
    given: Arguments, new: bool, count: int | None, source: HasExports
) -> tuple[str, ...]:
    """By input_names; where there are none, the new exporter takes the parameters of forward."""
    named = given.get("input_names")
    if named is not None and literal(named) is not None:
        return read_names(named, source) or ()
    found = list_forward_names(given.get("model"), source) if new and count else None
    return found[:count] if found is not None and len(found) >= (count or 0) else ()


def _count_tensors(args: cst.BaseExpression | None, source: HasExports) -> int | None:
    """How many inputs an example gives; None where some part may be no single tensor."""
    written = find_kept_value(args, source)
    parts: list[cst.BaseExpression] = []
    if isinstance(written, cst.Tuple):
        if any(isinstance(each, cst.StarredElement) for each in written.elements):
            return None
        parts = [each.value for each in written.elements]
    elif args is not None:
        parts = [args]
    return len(parts) if parts and all(_is_tensor(each, source) for each in parts) else None


def _is_tensor(node: cst.BaseExpression, source: HasExports) -> bool:
    """Whether it surely is one: `torch.randn(1, 3).cuda()`, or a name for that."""
    made = source.classes.built(node)
    return bool(made) and all(_makes_tensor(call, source) for call in made)


def _makes_tensor(call: cst.Call, source: HasExports) -> bool:
    if source.names.name(call.func) in _MAKERS:
        return True
    moved = isinstance(call.func, cst.Attribute) and call.func.attr.value in _MOVES
    return moved and isinstance(call.func, cst.Attribute) and _is_tensor(call.func.value, source)


def read_names(node: cst.BaseExpression | None, source: HasNames) -> tuple[str, ...] | None:
    """A list or tuple of texts, written here or where its name gets its only value."""
    found = literal(find_kept_value(node, source))
    if not isinstance(found, (list, tuple)) or not found:
        return None
    return tuple(found) if all(isinstance(each, str) for each in found) else None
