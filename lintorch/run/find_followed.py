"""The model of a project that an .onnx file was made of, by the names of its modules."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from lintorch.facts.models.module_steps import FollowedModel
from lintorch.files import FileText, read_file
from lintorch.onnx_file import OnnxModel
from lintorch.run.given_files import list_files
from lintorch.run.module_scopes import ModuleScopes, count_found, read_scope, read_weight_path
from lintorch.run.request import ExplainRequest, Progress
from lintorch.run.scope import Scope
from lintorch.source import Source

_MOST_FILES, _MOST_MODELS, _MOST_READ = 12, 30, 2000
_ENOUGH = 0.5


@dataclass(frozen=True)
class FoundModel:
    """A model of the project, the share of the graph's names that it has, and its file.

    `prefix` are the modules around it in the graph, of which the project's source knows nothing.
    """

    model: FollowedModel
    path: str
    share: float
    prefix: tuple[str, ...] = ()

    @property
    def scopes(self) -> ModuleScopes:
        """Its modules by the graph's names."""
        return ModuleScopes(self.model)


@dataclass(frozen=True)
class GraphNames:
    """The modules that a graph names: paths of its weights, and scopes of its nodes."""

    paths: tuple[str, ...]
    scopes: tuple[tuple[str, ...], ...]

    @property
    def words(self) -> frozenset[str]:
        """The names of attributes among them."""
        parts = [*self.paths, *(name for scope in self.scopes for name in scope)]
        atoms = {atom for part in parts for atom in part.split(".")}
        return frozenset(atom for atom in atoms if not atom.isdecimal() and atom.isidentifier())

    def drop(self, count: int) -> GraphNames:
        """The same without the outermost modules."""
        paths = (each.split(".") for each in self.paths)
        return GraphNames(
            tuple(".".join(each[count:]) for each in paths if len(each) > count),
            tuple(each[count:] for each in self.scopes if len(each) > count),
        )


def list_names(model: OnnxModel) -> GraphNames:
    """The modules that a graph names."""
    paths = (read_weight_path(each.name) for each in model.graph.initializers)
    scopes = (read_scope(node.name) for node in model.graph.nodes)
    return GraphNames(
        tuple(dict.fromkeys(each for each in paths if each))[:_MOST_READ],
        tuple(dict.fromkeys(each for each in scopes if each))[:_MOST_READ],
    )


def find_followed(
    names: GraphNames, request: ExplainRequest, exporter: str, opset: int, progress: Progress
) -> FoundModel | None:
    """The model with most of the names, where it has at least half of them. Raises SettingsError."""
    if not names.words:
        return None
    best: FoundModel | None = None
    left = _MOST_MODELS
    for path, text in _list_candidates(names, request):
        for found in _list_models(path, text, names, exporter, opset, progress):
            left -= 1
            if found.share >= _ENOUGH and (best is None or found.share > best.share):
                best = found
            if left <= 0 or (best and best.share > 0.999 and not best.prefix):
                return best
    return best


def _list_candidates(names: GraphNames, request: ExplainRequest) -> list[tuple[str, str]]:
    """The files that hold most of the names."""
    asked = request if request.paths else replace(request, paths=(".",))
    words, found = names.words, []
    for path in list_files(asked, Scope(asked), notebooks=False).paths:
        read = read_file(path)
        text = read.text if isinstance(read, FileText) else ""
        if "forward" in text or "nn.Sequential" in text:
            hits = len(words & set(re.findall(r"\w+", text)))
            found.append((-hits, len(found), path, text))
    ordered = sorted(each for each in found if each[0])[:_MOST_FILES]
    return [(path, text) for _, _, path, text in ordered]


def _list_models(
    path: str, text: str, names: GraphNames, exporter: str, opset: int, progress: Progress
) -> Iterator[FoundModel]:
    progress(f"following the models of {path}")
    try:
        evaluation = Source(path, text).evaluation
    except Exception:  # it does not parse: it holds no model
        return
    for name in evaluation.list_models():
        model = evaluation.follow_modules(name, exporter, opset)
        if model is not None:
            yield max(_list_shares(path, model, names), key=lambda each: each.share)


def _list_shares(path: str, model: FollowedModel, names: GraphNames) -> Sequence[FoundModel]:
    """As it is, and as the part of a larger one that it may be."""
    scopes = ModuleScopes(model)
    found = [FoundModel(model, path, count_found(scopes, names.paths, names.scopes))]
    first = {each.split(".")[0] for each in names.paths} | {each[0] for each in names.scopes}
    if len(first) == 1:
        inner = names.drop(1)
        share = count_found(scopes, inner.paths, inner.scopes) * 0.99
        found.append(FoundModel(model, path, share, (next(iter(first)),)))
    return found
