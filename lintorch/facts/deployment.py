"""Reads how a project deploys off the export calls that it makes itself."""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from lintorch.core.exporter_calls import DIAGNOSING, DYNAMO_BY_DEFAULT, EXPORTER_CALLS
from lintorch.core.profile import MEASURED_TORCH, WRITES_ONNX, Profile
from lintorch.facts.dynamic_shapes import AssignedSizes
from lintorch.files.testfile import is_test_file

Release = tuple[int, int]
"""Of torch: (2, 13)."""
_CALLED = re.compile(
    rb"\b(export|dynamo_export|export_for_inference|trace|trace_module|script|to_onnx|to_torchscript)\s*\("
    rb"|\bimport\s+(export|trace|script)\s+as\b"
)
_SIZES = frozenset({"dynamic_axes", "dynamic_shapes"})
_KINDS = {name: kind for name, (kind, _) in EXPORTER_CALLS.items() if name not in DIAGNOSING}
_METHODS = {"to_onnx": "onnx", "to_torchscript": "torchscript-script"}
"""Methods of LightningModule that export it."""


@dataclass(frozen=True)
class ExportCall:
    """One export call: its exporters (two where `dynamo` is not a literal), opset, and sizes."""

    exporters: frozenset[str]
    opset: int | None = None
    dynamic: bool = True
    auto: bool = False
    """Whether some size is, or may be, left to `Dim.AUTO`."""
    strict: bool = True
    """False where torch.jit.trace is told `strict=False`."""


def read_deployment(
    files: Iterable[tuple[str, bytes]], torch: Release = MEASURED_TORCH
) -> Profile | None:
    """The profile that the export calls of these files amount to; None where there is none."""
    each = (export_calls_in(path, data, torch) for path, data in files)
    return profile_of([call for calls in each for call in calls], torch)


def export_calls_in(path: str, data: bytes, torch: Release) -> list[ExportCall]:
    """The export calls of one file; none of a test: what it exports is not what is deployed."""
    if b"torch" not in data or not _CALLED.search(data):
        return []
    return [] if is_test_file(path, data.decode("utf-8", "replace")) else list(_calls(data, torch))


def profile_of(calls: Sequence[ExportCall], torch: Release) -> Profile | None:
    """What calls amount to; None where there is none.

    The opset of an exporter is the lowest that is named, and sizes count as fixed only where every
    call leaves them so.
    """
    if not calls:
        return None
    exporters = frozenset().union(*(call.exporters for call in calls))
    return Profile(
        exporters=exporters,
        opsets=tuple(_opsets(calls, exporters)),
        dynamic=any(call.dynamic for call in calls),
        torch=torch,
        auto=any(call.auto for call in calls),
        strict=all(call.strict for call in calls),
    )


def _opsets(calls: Sequence[ExportCall], exporters: frozenset[str]) -> Iterator[tuple[str, int]]:
    """The lowest opset that is asked of each exporter, and of all for one that no call takes."""
    for exporter in WRITES_ONNX:
        asked = [
            call.opset
            for call in calls
            if call.opset is not None and (exporter in call.exporters or exporter not in exporters)
        ]
        if asked:
            yield exporter, min(asked)


def _calls(data: bytes, torch: Release) -> Iterator[ExportCall]:
    try:
        tree = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    names, sizes = _imports(tree), AssignedSizes(tree)
    nodes = [*ast.walk(tree)]
    functions = {each.name for each in nodes if isinstance(each, ast.FunctionDef)}
    calls = (each for each in nodes if isinstance(each, ast.Call))
    for node in calls:
        if not _takes_function(node, functions) and (call := _call(node, names, torch, sizes)):
            yield call


def _takes_function(node: ast.Call, functions: Container[str]) -> bool:
    """`fast = torch.jit.script(mix)` of a function: no model is deployed so."""
    match node:
        case ast.Call(ast.Attribute(attr="script") | ast.Name("script"), [ast.Name(given)]):
            return given in functions
    return False


def _call(
    node: ast.Call, names: dict[str, str], torch: Release, sizes: AssignedSizes
) -> ExportCall | None:
    kind = _KINDS.get(_name(node.func, names))
    if kind is None and isinstance(node.func, ast.Attribute):
        kind = _METHODS.get(node.func.attr)
    if kind is None:
        return None
    given = {k.arg: k.value for k in node.keywords if k.arg is not None}
    told_elsewhere = any(k.arg is None for k in node.keywords)
    if kind.startswith("torchscript"):
        strict = given.get("strict")
        told_loose = isinstance(strict, ast.Constant) and strict.value is False
        return ExportCall(_scripted(kind, given), strict=not told_loose)
    auto = told_elsewhere or sizes.may_be_auto(given.get("dynamic_shapes"))
    call = ExportCall(frozenset({kind}), dynamic=told_elsewhere or _dynamic(given), auto=auto)
    return call if kind != "onnx" else _onnx(call, given, torch, told_elsewhere)


def _onnx(
    call: ExportCall, given: dict[str, ast.expr], torch: Release, told_elsewhere: bool
) -> ExportCall:
    opset, dynamo = given.get("opset_version"), given.get("dynamo")
    if dynamo is None and not told_elsewhere:
        newer = torch >= DYNAMO_BY_DEFAULT
    elif isinstance(dynamo, ast.Constant):
        newer = bool(dynamo.value)
    else:
        return replace(call, exporters=frozenset(WRITES_ONNX))
    return replace(
        call,
        exporters=frozenset({"onnx" if newer else "onnx-legacy"}),
        opset=opset.value
        if isinstance(opset, ast.Constant) and isinstance(opset.value, int)
        else None,
    )


def _scripted(kind: str, given: dict[str, ast.expr]) -> frozenset[str]:
    method = given.get("method")
    traced = isinstance(method, ast.Constant) and method.value == "trace"
    return frozenset({"torchscript-trace" if traced else kind})


def _dynamic(given: dict[str, ast.expr]) -> bool:
    """Whether a call names sizes that vary; `dynamic_axes=None` names none."""
    return any(
        name in given and not (isinstance(given[name], ast.Constant) and not given[name].value)  # type: ignore[attr-defined]
        for name in _SIZES
    )


def _imports(tree: ast.Module) -> dict[str, str]:
    """What the file's imports, wherever they stand, bind: local name to dotted name."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                names[alias.asname or top] = alias.name if alias.asname else top
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names |= {a.asname or a.name: f"{node.module}.{a.name}" for a in node.names}
    return names


def _name(node: ast.expr, names: dict[str, str]) -> str:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in names:
        return ""
    return ".".join([names[node.id], *reversed(parts)])
