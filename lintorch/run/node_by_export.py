"""The line of a node by exporting the project's models again, where who asks lets them run."""

from __future__ import annotations

import difflib
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from lintorch.onnx_file import (
    OnnxFileError,
    OnnxGraph,
    OnnxModel,
    OnnxNode,
    read_onnx_model,
)
from lintorch.run.export_matrix import export_models
from lintorch.run.module_scopes import read_scope
from lintorch.run.node_frames import Told, read_told
from lintorch.run.request import ExplainRequest, ExportRequest, Progress

_MOST_NODES = 6000
_ENOUGH = 0.5
_Token = tuple[object, ...]


@dataclass(frozen=True)
class Twin:
    """A node of an export made now; `same_name`: whether it has the name of the one that was asked about."""

    node: OnnxNode
    told: Told
    same_name: bool


@dataclass(frozen=True)
class AnotherExport:
    """An export made now that is like the file, by the share of its nodes that are alike in order."""

    graph: OnnxGraph
    share: float
    twins: dict[int, OnnxNode]
    """By identity of a node of the file."""


class ExportedAgain:
    """Exports the models of `request.paths` in a worker when the first node is asked for."""

    def __init__(self, model: OnnxModel, request: ExplainRequest, progress: Progress) -> None:
        self._model, self._request, self._progress = model, request, progress

    @property
    def exporter(self) -> str:
        """The exporter that the file is of: what was asked for, else what its names are like."""
        asked = next(iter(self._request.models.exporters), "")
        new = any(node.name.startswith("node_") for node in self._model.graph.nodes)
        return asked or ("onnx" if new else "onnx-legacy")

    @cached_property
    def closest(self) -> AnotherExport | None:
        """The export most like the file; None where none has half of its nodes.

        Raises SettingsError, CatalogError, OSError or WorkerError.
        """
        models = replace(self._request.models, trace=False, exporters=(self.exporter,))
        with tempfile.TemporaryDirectory(prefix="lintorch-") as folder:
            asked = ExportRequest(
                self._request.paths or (".",),
                settings=self._request.settings,
                models=models,
                jobs=self._request.jobs,
                config=self._request.config,
                output=str(Path(folder, "exports")),
            )
            export_models(asked, self._progress)
            others = [self._compare(path) for path in sorted(Path(folder).rglob("*.onnx"))]
        known = [each for each in others if each is not None and each.share >= _ENOUGH]
        return max(known, key=lambda each: each.share, default=None)

    def find_twin(self, node: OnnxNode) -> Twin | None:
        """The node of the export that stands where this one does, or has its name; None without either."""
        if self.closest is None:
            return None
        twin = self.closest.twins.get(id(node))
        if twin is None:
            named = (
                each for each in self.closest.graph.nodes if each.name and each.name == node.name
            )
            twin = next((each for each in named if each.operator == node.operator), None)
            return None if twin is None else Twin(twin, read_told(twin), same_name=False)
        return Twin(twin, read_told(twin), same_name=twin.name == node.name)

    def _compare(self, path: Path) -> AnotherExport | None:
        try:
            graph = read_onnx_model(str(path)).graph
        except (OnnxFileError, OSError):
            return None
        own, other = self._model.graph.nodes[:_MOST_NODES], graph.nodes[:_MOST_NODES]
        if not own:
            return None
        pairs = dict(_match(self._model.graph, graph))
        return AnotherExport(graph, len(pairs) / len(own), {n: other[m] for n, m in pairs.items()})


def _match(own: OnnxGraph, other: OnnxGraph) -> Iterator[tuple[int, int]]:
    """Identities of nodes of the one, and numbers of nodes of the other, that are alike in order."""
    scoped = all(any(read_scope(node.name) for node in each.nodes) for each in (own, other))
    left, right = list(_list_tokens(own, scoped)), list(_list_tokens(other, scoped))
    matcher = difflib.SequenceMatcher(None, left, right, autojunk=False)
    for begin, there, length in matcher.get_matching_blocks():
        for step in range(length):
            yield id(own.nodes[begin + step]), there + step


def _list_tokens(graph: OnnxGraph, scoped: bool) -> Iterator[_Token]:
    """What a node is told by besides its name: its scope, operator, and the sizes of its weights."""
    weights = {each.name: each.dims for each in graph.initializers}
    for node in graph.nodes[:_MOST_NODES]:
        scope = read_scope(node.name) if scoped else None
        yield node.operator, scope, tuple(weights.get(each, ()) for each in node.inputs)
