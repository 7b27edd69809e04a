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
from lintorch.run.foretell_opsets import NEW_IR
from lintorch.run.match_graphs import MOST_NODES, match_graphs
from lintorch.run.module_scopes import read_scope
from lintorch.run.node_frames import Told, read_told
from lintorch.run.request import ExplainRequest, ExportRequest, Progress

_ENOUGH, _WHOLE = 0.5, 0.99
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
        """The exporter that the file is of: what was asked for, else what its names and its version are like."""
        asked = next(iter(self._request.models.exporters), "")
        names = [node.name for node in self._model.graph.nodes]
        scoped = any(name.startswith("/") for name in names)
        newer = self._model.ir_version >= NEW_IR and not scoped
        new = newer or any(name.startswith("node_") for name in names)
        return asked or ("onnx" if new else "onnx-legacy")

    @cached_property
    def closest(self) -> AnotherExport | None:
        """The export most like the file, by its exporter, else by the other; None where none has half of its nodes.

        Raises SettingsError, CatalogError, OSError or WorkerError.
        """
        found = self._find_closest(self.exporter)
        if found is not None or self._request.models.exporters:
            return found
        return self._find_closest("onnx" if self.exporter == "onnx-legacy" else "onnx-legacy")

    def _find_closest(self, exporter: str) -> AnotherExport | None:
        models = replace(self._request.models, trace=False, exporters=(exporter,))
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
        own, other = self._model.graph.nodes[:MOST_NODES], graph.nodes[:MOST_NODES]
        if not own:
            return None
        pairs = dict(_match(self._model.graph, graph))
        if len(pairs) < _WHOLE * len(own):  # an optimizer went over the file
            pairs = {id(own[n]): m for n, m in match_graphs(self._model.graph, graph).items()}
        share = len(pairs) / len(own)
        return AnotherExport(graph, share, {n: other[m] for n, m in pairs.items()})


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
    for node in graph.nodes[:MOST_NODES]:
        scope = read_scope(node.name) if scoped else None
        yield node.operator, scope, tuple(weights.get(each, ()) for each in node.inputs)
