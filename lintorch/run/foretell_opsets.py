"""Before any export: the lowest opset that takes a model, and the first releases of runtimes that take it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import libcst as cst

from lintorch.core.profile import WRITES_ONNX
from lintorch.facts.exporting.written_calls import ModelCalls, WrittenCall
from lintorch.files import FileText, UnreadableFile, read_file
from lintorch.record.outcomes import OperatorUse, Outcome
from lintorch.report.forecast import CallPlace, ModelForecast, OpsetForecast
from lintorch.report.places import shown_path
from lintorch.run.given_files import list_files
from lintorch.run.request import OpsetRequest
from lintorch.run.scope import Scope
from lintorch.source import Source
from lintorch.syntax.deep_stack import call_deeply
from lintorch.targets import find_target, opset_history, written_files
from lintorch.targets.first_releases import (
    FirstRelease,
    OperatorNeed,
    file_version,
    find_first_release,
)

DEFAULT_RUNTIMES = ("onnxruntime", "tensorrt", "openvino")
"""Those that are asked about where nobody names any."""
NEW_IR = 10
"""The IR version that the new exporter of torch 2.13 writes, whatever the opset."""


@dataclass(frozen=True)
class Forecasts:
    """Of all models of the files."""

    models: tuple[ModelForecast, ...] = ()
    errors: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    files: int = 0
    runtimes: tuple[str, ...] = field(default=DEFAULT_RUNTIMES)


def list_runtimes(targets: Sequence[str]) -> tuple[str, ...]:
    """The runtimes of targets that take ONNX files, else the usual ones."""
    found = (find_target(each) for each in targets)
    named = tuple(dict.fromkeys(t.family for t in found if t.tables.names == "onnx"))
    return named or DEFAULT_RUNTIMES


def foretell_opsets(request: OpsetRequest) -> Forecasts:
    """Of each model of the files, without running any. Raises SettingsError and CatalogError."""
    scope = Scope(request)
    files = list_files(request, scope, notebooks=False)
    runtimes = request.runtimes or DEFAULT_RUNTIMES
    models: list[ModelForecast] = []
    errors = list(files.errors)
    for path in files.paths:
        read = read_file(path)
        if isinstance(read, UnreadableFile):
            errors.append(f"{shown_path(path)}: {read.cause}")
            continue
        try:
            found = _foretell_file(path, read, runtimes)
            models += (each for each in found if _is_asked_of(each, path, request))
        except _UNPARSED:
            errors.append(f"{shown_path(path)}: it cannot be parsed")
    return Forecasts(tuple(models), tuple(errors), files.notes, len(files.paths), runtimes)


def _is_asked_of(model: ModelForecast, path: str, request: OpsetRequest) -> bool:
    return any(request.models.wants_model(at, model.model) for at in (path, shown_path(path)))


def foretell_source(path: str, runtimes: Sequence[str]) -> dict[str, ModelForecast]:
    """By name of each model of a file; nothing where it cannot be read."""
    read = read_file(path)
    try:
        found = _foretell_file(path, read, runtimes) if isinstance(read, FileText) else []
    except _UNPARSED:
        found = []
    return {each.model: each for each in found}


_UNPARSED = (cst.ParserSyntaxError, SyntaxError, ValueError, RecursionError)


def _foretell_file(path: str, read: FileText, runtimes: Sequence[str]) -> list[ModelForecast]:
    calls = call_deeply(lambda: Source(path, read.text).list_model_calls())
    return [_foretell_model(each, runtimes) for each in calls]


def _foretell_model(calls: ModelCalls, runtimes: Sequence[str]) -> ModelForecast:
    forecasts = tuple(_foretell_exporter(calls, each, runtimes) for each in reversed(WRITES_ONNX))
    unknown = tuple(map(_place_call, calls.unknown))
    whole = calls.whole and bool(calls.known)  # a model of no operation was not understood
    return ModelForecast(
        calls.model, calls.path, "source", forecasts, len(calls.known), unknown, whole
    )


def _place_call(call: WrittenCall) -> CallPlace:
    return CallPlace(call.name, call.spot.path, call.spot.row)


def _foretell_exporter(calls: ModelCalls, exporter: str, runtimes: Sequence[str]) -> OpsetForecast:
    known = [e for e in calls.known if written_files.is_written_by(e.name, exporter)]
    unknown = tuple(_place_call(each) for each in calls.known if each not in known)
    firsts = {each: written_files.find_first_opset(each.name, exporter) for each in known}
    refused = tuple(each for each, first in firsts.items() if first is None)
    floor = written_files.LOWEST[exporter]
    opset = max((first for first in firsts.values() if first is not None), default=floor)
    opsets = [n for n in written_files.OPSETS[exporter] if n >= opset]
    kept = [n for n in opsets if all(_needs(each, exporter, n) is not None for each in known)]
    if refused or not kept:
        return OpsetForecast(exporter, None, refused=tuple(map(_place_call, refused)))
    deciding = tuple(e.name for e, first in firsts.items() if first == opset and opset > floor)
    found = tuple(_find_first(each, known, exporter, kept) for each in runtimes)
    return OpsetForecast(exporter, kept[0], found, deciding, unknown=unknown)


def _find_first(
    runtime: str, calls: Sequence[WrittenCall], exporter: str, opsets: Sequence[int]
) -> FirstRelease:
    """At the lowest opset, else at the next one at which a release is known to take it."""
    lowest: FirstRelease | None = None
    for opset in opsets:
        names = {n for each in calls for n in _needs(each, exporter, opset) or ()}
        needs = tuple(map(_make_need, sorted(names)))
        ir = NEW_IR if exporter == "onnx" else file_version(opset)
        found = find_first_release(runtime, needs, opset, ir)
        lowest = lowest or found
        if found.is_known:
            return found
    assert lowest is not None
    return lowest


def _needs(call: WrittenCall, exporter: str, opset: int) -> tuple[str, ...] | None:
    return written_files.list_needed(call.name, exporter, opset)


def _make_need(name: str) -> OperatorNeed:
    domain, _, plain = name.rpartition("::")
    return OperatorNeed(plain, domain)


def foretell_graph(outcome: Outcome, runtimes: Sequence[str]) -> OpsetForecast | None:
    """Of a file that was written; None where there is none.

    Its nodes mean the same at each opset that defines none of their operators anew: the lowest of
    these is told.
    """
    if not outcome.graph or outcome.opset is None:
        return None
    floor = written_files.LOWEST.get(outcome.exporter, outcome.opset)
    defined = {use.name: _find_defined(use) for use in outcome.graph if not use.domain}
    opset = max(min(floor, outcome.opset), *defined.values())
    ir = (outcome.ir or NEW_IR) if outcome.exporter == "onnx" else file_version(opset)
    needs = tuple(dict.fromkeys(_list_needs(outcome.graph)))
    runs = tuple(find_first_release(each, needs, opset, ir) for each in runtimes)
    deciding = tuple(n for n, since in defined.items() if since == opset and opset > floor)
    return OpsetForecast(outcome.exporter, opset, runs, deciding)


def _find_defined(use: OperatorUse) -> int:
    return opset_history.find_definition(use.name, use.opset) or use.opset


def _list_needs(graph: Iterable[OperatorUse]) -> Iterator[OperatorNeed]:
    """What works on sizes and constants alone is needed as an operator, of whatever type."""
    for use in graph:
        types = use.types[:1] if use.data and use.types and use.types[0] else ()
        yield OperatorNeed(use.name, use.domain, types, use.rank if use.data else None)
