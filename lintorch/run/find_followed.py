"""The model of a project that an .onnx file was made of, by the names of its modules."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from lintorch.facts.models.evaluation import Evaluation
from lintorch.facts.models.module_steps import FollowedModel
from lintorch.files import FileText, read_file
from lintorch.onnx_file import OnnxModel
from lintorch.report.places import shown_path
from lintorch.run.given_files import list_files
from lintorch.run.module_scopes import ModuleScopes, mask_numbers, read_scope, read_weight_path
from lintorch.run.order_likeness import OrderLikeness
from lintorch.run.request import ExplainRequest, Progress
from lintorch.run.scope import Scope
from lintorch.source import Source

_MOST_FILES, _MOST_MODELS, _MOST_READ = 40, 32, 2000
_MOST_LIKE, _MOST_FURTHER = 3, 12
"""Files whose further models are followed, where names tell too little; and such models in all."""
_ENOUGH, _ALIKE = 0.5, 0.02
_LIKE_ENOUGH, _LIKE_UNNAMED = 0.5, 0.7
_MANY = 12
"""Modules named, each of which the model has, in the sizes that are known: it is not by chance."""
Names = tuple[str, ...]


@dataclass(frozen=True)
class FoundModel:
    """A model of the project, the share of the graph's names that it has, and its file.

    `prefix` are the modules around it in the graph, of which the project's source knows nothing.
    """

    model: FollowedModel
    path: str
    share: float
    prefix: tuple[str, ...] = ()
    used: float = 1.0
    """The share of the model's own modules that the graph names, items of a list counted once."""
    alike: float = 1.0
    """The share of layers whose weight has the same sizes in both, among those where both are known."""
    like: float = 1.0
    """How like the order of operations is, of a graph whose names tell too little; else 1."""
    needed: float = 0.0
    """How like it has to be for lines to be told: more where fewer weights have names."""

    @property
    def fit(self) -> float:
        """How well the one fits the other."""
        return self.share * (0.5 + self.used / 2) * (0.3 + 0.7 * self.alike) * self.like

    @property
    def is_likely(self) -> bool:
        """Whether its operations are enough like the graph's to tell lines by their order."""
        return self.like >= self.needed

    @property
    def name(self) -> str:
        """`net.py:Net`."""
        return f"{shown_path(self.path)}:{self.model.name}"

    @property
    def scopes(self) -> ModuleScopes:
        """Its modules by the graph's names."""
        return ModuleScopes(self.model)


@dataclass(frozen=True)
class GraphNames:
    """The modules that a graph names: paths of its weights, and scopes of its nodes."""

    paths: tuple[str, ...]
    scopes: tuple[Names, ...]
    sizes: Mapping[Names | str, tuple[int, int]]
    """By path or scope of a layer, the first two sizes of its weight, the smaller first."""
    named: float = 1.0
    """The share of weights whose names tell a module."""

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
            {
                ".".join(key.split(".")[count:]) if isinstance(key, str) else key[count:]: sizes
                for key, sizes in self.sizes.items()
            },
            self.named,
        )

    @property
    def outermost(self) -> frozenset[str]:
        """The attributes of the model itself that it names."""
        return frozenset(
            [each.split(".")[0] for each in self.paths]
            + [each[0].split(".")[0] for each in self.scopes]
        )


def list_names(model: OnnxModel) -> GraphNames:
    """The modules that a graph names."""
    weights = [each.name for each in model.graph.initializers if each.dims]
    named = [each for each in weights if read_weight_path(each)]
    paths = (read_weight_path(each.name) for each in model.graph.initializers)
    scopes = (read_scope(node.name) for node in model.graph.nodes)
    return GraphNames(
        tuple(dict.fromkeys(each for each in paths if each))[:_MOST_READ],
        tuple(dict.fromkeys(each for each in scopes if each))[:_MOST_READ],
        dict(_list_sizes(model)),
        len(named) / max(len(weights), 1),
    )


def _list_sizes(model: OnnxModel) -> Iterator[tuple[Names | str, tuple[int, int]]]:
    weights = {each.name: each.dims[:2] for each in model.graph.initializers if len(each.dims) > 1}
    for name, dims in weights.items():
        if name.endswith(".weight") and read_weight_path(name):
            yield read_weight_path(name), (min(dims), max(dims))
    for node in model.graph.nodes:
        scope, used = read_scope(node.name), weights.get("".join(node.inputs[1:2]))
        if scope and used and node.operator in ("Conv", "ConvTranspose", "Gemm", "MatMul"):
            yield scope, (min(used), max(used))


def find_followed(
    graph: OnnxModel, request: ExplainRequest, exporter: str, opset: int, progress: Progress
) -> tuple[FoundModel, ...]:
    """The model with most of the names, where it has at least half of them; of several files, those that fit alike.

    Where no node names a module, the order of operations counts too, and the modules that the graph
    does not name do not: an exporter folds their weights away. Raises SettingsError.
    """
    names = list_names(graph)
    if not names.words:
        return ()
    ranked = list(_rank_models(names, request))
    weigh = partial(_weigh_models, names, None if names.scopes else OrderLikeness(graph))
    follow = partial(_follow_models, exporter, opset, progress)
    fitting = weigh(follow(ranked[:_MOST_MODELS]))
    if not names.scopes:
        files = list(dict.fromkeys(each.path for each in fitting))[:_MOST_LIKE]
        further = [each for each in ranked[_MOST_MODELS:] if each.path in files]
        fitting = sorted((*fitting, *weigh(follow(further[:_MOST_FURTHER]))), key=lambda e: -e.fit)
    best: dict[str, FoundModel] = {}
    for each in fitting:
        if each.fit >= fitting[0].fit - _ALIKE:
            best.setdefault(each.path, each)
    return tuple(best.values())


def _weigh_models(
    names: GraphNames, likeness: OrderLikeness | None, followed: Iterable[tuple[str, FollowedModel]]
) -> list[FoundModel]:
    """Those that have enough of the names, the best first."""
    found = []
    for path, model in followed:
        best = max(_list_shares(path, model, names), key=lambda each: each.fit)
        if likeness is not None:
            told = names.named >= 0.5 or (
                len(names.paths) >= _MANY and best.share == best.alike == 1
            )
            needed = _LIKE_ENOUGH if told else _LIKE_UNNAMED
            best = replace(best, used=1.0, like=likeness.measure(model), needed=needed)
        found += [best] if best.share >= _ENOUGH else []
    return sorted(found, key=lambda each: -each.fit)


@dataclass(frozen=True)
class _Ranked:
    path: str
    evaluation: Evaluation
    name: str


def _rank_models(names: GraphNames, request: ExplainRequest) -> Iterator[_Ranked]:
    """The likeliest models first: those whose classes have the outermost names, of each file one and then the next."""
    ranked: list[tuple[int, int, int, _Ranked]] = []
    for path, text in _list_candidates(names, request):
        try:
            evaluation = Source(path, text).evaluation
        except Exception:  # it does not parse: it holds no model
            continue
        hits = {n: len(names.outermost & words) for n, words in evaluation.list_models().items()}
        for turn, name in enumerate(sorted(hits, key=lambda each: -hits[each])):
            ranked.append((-hits[name], turn, len(ranked), _Ranked(path, evaluation, name)))
    most = min((each[0] for each in ranked), default=0)
    likely = [each for each in ranked if each[0] <= most / 2]
    yield from (each for *_, each in sorted(likely, key=lambda each: each[:3]))


def _follow_models(
    exporter: str, opset: int, progress: Progress, ranked: Iterable[_Ranked]
) -> Iterator[tuple[str, FollowedModel]]:
    for each in ranked:
        progress(f"following {each.name} of {each.path}")
        model = each.evaluation.follow_modules(each.name, exporter, opset)
        if model is not None:
            yield each.path, model


def _list_candidates(names: GraphNames, request: ExplainRequest) -> list[tuple[str, str]]:
    """The files that hold most of the names."""
    asked = request if request.paths else replace(request, paths=(".",))
    words = names.words
    found: list[tuple[int, int, str, str]] = []
    for path in list_files(asked, Scope(asked), notebooks=False).paths:
        read = read_file(path)
        text = read.text if isinstance(read, FileText) else ""
        if "forward" in text or "nn.Sequential" in text:
            hits = len(words & set(re.findall(r"\w+", text)))
            found.append((-hits, len(found), path, text))
    ordered = sorted(each for each in found if each[0])[:_MOST_FILES]
    return [(path, text) for _, _, path, text in ordered]


def _list_shares(path: str, model: FollowedModel, names: GraphNames) -> Sequence[FoundModel]:
    """As it is, and as the part of a larger one that it may be."""
    found = [_weigh(path, model, names, ())]
    first = {each.split(".")[0] for each in names.paths} | {each[0] for each in names.scopes}
    if len(first) == 1:
        found.append(_weigh(path, model, names.drop(1), (next(iter(first)),)))
    return found


def _weigh(
    path: str, model: FollowedModel, names: GraphNames, prefix: tuple[str, ...]
) -> FoundModel:
    scopes = ModuleScopes(model)
    found = [scopes.find_path(each) for each in names.paths]
    found += [scopes.find_scope(each) for each in names.scopes]
    known = {each for each in found if each}
    share = len([each for each in found if each is not None]) / max(len(found), 1)
    own = {each for each, held in model.parts.items() if each and held.address in model.used}
    kinds = {mask_numbers(each) for each in own if not model.name_class(each).endswith(_VANISHING)}
    used = len(kinds & {mask_numbers(each) for each in known}) / len(kinds) if kinds else 1.0
    alike = [
        model.sizes[address] == sizes
        for key, sizes in names.sizes.items()
        if (at := scopes.find_path(key) if isinstance(key, str) else scopes.find_scope(key))
        and (address := model.parts[at].address) in model.sizes
    ]
    fits = sum(alike) / len(alike) if alike else 1.0
    return FoundModel(model, path, share * (0.99 if prefix else 1.0), prefix, used, fits)


_VANISHING = (
    "Dropout",
    "Dropout2d",
    "Identity",
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "DropPath",
)
"""Layers of which an export may hold nothing."""
