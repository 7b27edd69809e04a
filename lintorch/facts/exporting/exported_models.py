"""The models that a file exports itself: which call hands which class of the file to which exporter."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol, TypeVar

import libcst as cst

from lintorch.core.exporter_calls import EXPORTER_CALLS, ONNX_EXPORT
from lintorch.facts.classes.classes import ClassInfo
from lintorch.facts.dataflow.steps import HasProvenance
from lintorch.facts.exporting.export_calls import HasProfile, onnx_exporter
from lintorch.syntax.literals import arguments
from lintorch.syntax.parsed_file import HasFile

N = TypeVar("N", bound=cst.CSTNode)


class HasExports(HasProvenance, HasProfile, Protocol):
    """What knows where the models of a file come from, and with what the project deploys."""


@dataclass(frozen=True, eq=False)
class Export:
    """One export call: its exporter ("" where it cannot be told) and the class of its model.

    `model` is None where it is not surely one class of the file.
    """

    call: cst.Call
    exporter: str
    model: ClassInfo | None


def export_of(call: cst.Call, source: HasExports) -> Export | None:
    """What an export call exports; None of any other call."""
    name = source.names.name(call.func)
    if name not in EXPORTER_CALLS:
        return None
    exporter, parameter = EXPORTER_CALLS[name]
    if name == ONNX_EXPORT:
        exporter = onnx_exporter(call, source)
    given = arguments(call, parameter).get(parameter)
    return Export(call, exporter, model_class_of(given, source) if given is not None else None)


def model_class_of(expression: cst.CSTNode, source: HasProvenance) -> ClassInfo | None:
    """The one module class of the file that an expression is surely an instance of."""
    made = {source.names.name(call.func) for call in source.provenance.origins(expression)}
    info = source.classes.named(made.pop()) if len(made) == 1 else None
    return info if info is not None and info.is_module else None


def nodes_in_body(function: cst.FunctionDef, kind: type[N], source: HasFile) -> Iterator[N]:
    """The nodes of a class in a function's body, not in functions and lambdas within it."""
    for node in source.file.nodes(kind):
        if source.file.enclosing(node, cst.FunctionDef, cst.Lambda) is function:
            yield node
