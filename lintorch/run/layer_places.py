"""Where the layers whose weights a graph names stand among the operations of a model's source."""

from __future__ import annotations

from collections.abc import Iterator

from lintorch.facts.models.module_steps import FollowedModel
from lintorch.onnx_file import Body, OnnxNode
from lintorch.run.module_scopes import ModuleScopes, read_weight_path


def read_module(body: Body, node: OnnxNode) -> str:
    """The path of the module whose weight a node takes, "" where none tells it."""
    paths = (read_weight_path(each) for each in node.inputs if each in body.telling_weights)
    return next((path for path in paths if path), "")


class LayerPlaces:
    """The steps of layers by their paths.

    Modules that are built alike are one to the evaluator: which of their steps is whose is told by
    the order in which the graph takes their weights, where there are as many of these.
    """

    def __init__(self, body: Body, model: FollowedModel, scopes: ModuleScopes) -> None:
        self._body, self._model, self._scopes = body, model, scopes

    def list_places(self, path: str) -> list[int]:
        """The numbers of the steps that may be calls of the layer; none where it is unknown."""
        address = self._find_address(path)
        steps = enumerate(self._model.steps)
        places = [number for number, each in steps if address in each.modules[-1:]]
        if address is None or len(places) < 2:
            return places
        alike = [*dict.fromkeys(self._list_alike(address))]
        return [places[alike.index(path)]] if len(alike) == len(places) else places

    def _list_alike(self, address: int) -> Iterator[str]:
        """The paths of the layers that are one with it, in the order of their nodes."""
        for node in self._body.ordered:
            path = read_module(self._body, node)
            if path and self._find_address(path) == address:
                yield path

    def _find_address(self, path: str) -> int | None:
        found = self._scopes.find_path(path)
        return None if found is None else self._model.parts[found].address
