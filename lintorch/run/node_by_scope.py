"""The lines that may have made a node, by its name and the project's source; nothing is run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice

from lintorch.core.text_rows import split_rows
from lintorch.facts.models.module_steps import ModuleStep
from lintorch.facts.models.onnx_writes import HELPERS
from lintorch.files import FileText, read_file
from lintorch.onnx_file import Body, FoundNode, OnnxModel, OnnxNode
from lintorch.run.between_weights import Between, find_between, list_steps_between
from lintorch.run.find_followed import FoundModel, find_followed
from lintorch.run.node_frames import Frame
from lintorch.run.place_nodes import NodePlacer, Placed
from lintorch.run.request import ExplainRequest, Progress

_MOST_TAKERS, _MOST_NAMED = 12, 4


class ScopedNodes:
    """Answers for the nodes of one model; the project is searched when the first is asked for."""

    def __init__(
        self, model: OnnxModel, bodies: Sequence[Body], request: ExplainRequest, progress: Progress
    ) -> None:
        self._model, self._bodies = model, bodies
        self._request, self._progress = request, progress
        self._placers: dict[str, NodePlacer] = {}
        self._lines: dict[str, list[str]] = {}

    @cached_property
    def _fitting(self) -> tuple[FoundModel, ...]:
        """The models that have the graph's modules, in whose order of operations most nodes fit first."""
        opset = self._model.opsets.get("", 0) or 17
        found = find_followed(self._model, self._request, "onnx-legacy", opset, self._progress)
        if len(found) < 2:
            return found
        main = next(body for body in self._bodies if not body.where)
        shares = [NodePlacer(main, each).count_placed() for each in found]
        most = max(shares)
        return tuple(each for each, share in zip(found, shares, strict=True) if share == most)

    @property
    def found(self) -> FoundModel | None:
        """The model of the project; None where none has the graph's modules. Raises SettingsError."""
        return next(iter(self._fitting), None)

    @property
    def rivals(self) -> tuple[FoundModel, ...]:
        """Models of other files that fit as well."""
        return self._fitting[1:]

    def describe_doubt(self) -> str:
        """Why the order of operations tells no line of the model that was found; "" where it may."""
        found = self._fitting
        names = ", ".join(each.name for each in found[:_MOST_NAMED])
        advice = "name the model's file behind the .onnx file, or add --trace"
        if len(found) > 1:
            return f"several models fit about equally well, and any may be it ({names}): {advice}"
        if found and not found[0].is_likely:
            return f"the nearest model, {names}, has other operations or sizes: {advice}"
        return ""

    def place(self, node: FoundNode) -> Placed:
        """Where a node stands in the model that was found. Raises SettingsError."""
        return self._placer_of(node.body).place(node.node)

    def list_together(self, node: FoundNode, placed: Placed) -> tuple[OnnxNode, ...]:
        """Other nodes of the same module that the same step made."""
        if not placed.steps:
            return ()
        return self._placer_of(node.body).list_together(node.node, placed)

    def list_between(
        self, found: FoundNode, between: Between
    ) -> tuple[list[ModuleStep], bool, OnnxNode | None]:
        """The steps that may have made a node that stands between weights, and whether the order agrees on the first.

        Of a node that only computes sizes they are those of the node that takes these, which comes last.
        """
        if self.found is None:
            return [], False, None
        model, scopes, body = self.found.model, self.found.scopes, found.body
        steps, agreed = list_steps_between(body, found.node, between, model, scopes)
        if steps or found.node.operator not in HELPERS:
            return steps, agreed, None
        for taker in islice(body.list_takers(found.node), _MOST_TAKERS):
            near = find_between(body, taker)
            steps, agreed = list_steps_between(body, taker, near, model, scopes)
            if steps:
                return steps, agreed, taker
        return [], False, None

    def _placer_of(self, body: Body) -> NodePlacer:
        if self.found is None:
            raise ValueError("no model was found")
        if body.where not in self._placers:
            self._placers[body.where] = NodePlacer(body, self.found)
        return self._placers[body.where]

    def list_calls(self, step: ModuleStep) -> tuple[Frame, ...]:
        """The calls that led to a step, outermost first, the step itself last."""
        return tuple(self._make_frames(step))

    def _make_frames(self, step: ModuleStep) -> Iterator[Frame]:
        for spot, function in list(zip(step.spots, step.functions, strict=True))[1:]:
            source = self._read_line(spot.path, spot.row)
            yield Frame(spot.path, spot.row, function, source, spot.path, spot.row)

    def _read_line(self, path: str, row: int) -> str:
        if path not in self._lines:
            found = read_file(path)
            self._lines[path] = split_rows(found.text).lines if isinstance(found, FileText) else []
        lines = self._lines[path]
        return lines[row - 1].strip() if 0 < row <= len(lines) else ""
