"""Guesses for models of graphs: nodes and edges are sizes of their own, and nothing has a batch.

forward(h, x, edges, edge_attr)      # float32[nodes, 8], float32[nodes, 3], int64[2, edges], float32[edges, 8]
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from torch import nn

from lintorch.guest.construct.function_text import parse_source_of
from lintorch.guest.feed.container_arguments import find_part_names
from lintorch.guest.feed.guess_inputs import Guess, list_fed_parameters
from lintorch.guest.feed.shape_forms import list_layer_forms, read_own_form
from lintorch.record.models import Input

_EDGES = re.compile(r"edge_?(index|indices|indexes|idx|list)|edges")
_PLACES_OF_EDGES = re.compile(r"edge_?(index|indices|indexes|idx)")
_OF_EDGES = re.compile(r"edge_?(attrs?|attributes?|feats?|features?|fea|emb\w*)")
_WEIGHTS = re.compile(r"edge_?weights?")
_SAMPLES = re.compile(r"(node_)?batch(_index|_idx|_vec)?")
_MATRICES = re.compile(r"[GALH]|lap|laplacian|(hyper)?graph|supports?|[a-z]_hat")
"""Names of matrices over nodes, beside those that begin with `adj`."""
_PLACES = re.compile(r"x|pos|positions?|coords?|coordinates?|locs?|vel|velocity|velocities")
_SIZES = {"nodes": 16, "edges": 24}
_JOINED = 4
"""Nodes, the first ones, that edges join: there are as many at all sizes."""
_AXES, _ROWS = 3, 2
_LEAST_PARTS = 3
"""Arguments: two that are called nodes and edges are a matrix of them rather."""
_LEAST_TAKEN_APART = 2


def guess_graphs(module: nn.Module, plain: Collection[str]) -> Iterator[Guess]:
    """What a model is fed that takes nodes and, by their name, the edges between them."""
    named = [p.name for p in list_fed_parameters(module) if p.name not in plain]
    if len(named) >= _LEAST_PARTS and any(map(_EDGES.fullmatch, named)):
        yield _guess_whole(named, module)
    if square := _guess_square(named, module):
        yield square
    parts = find_part_names(module, named[0]) if len(named) == 1 else ()
    if len(parts) >= _LEAST_TAKEN_APART and any(map(_PLACES_OF_EDGES.fullmatch, parts)):
        whole = _guess_whole(parts, module)
        held = (replace(g, name=named[0], at=(n,)) for n, g in enumerate(whole.inputs))
        yield replace(whole, inputs=tuple(held))


def _guess_square(named: Sequence[str], module: nn.Module) -> Guess | None:
    """Nodes, and a matrix over them by its name: `G.matmul(x)` beside matrices of its own, `torch.mm(A, x)` beside layers."""
    own = next((form for part in nn.Module.modules(module) if (form := read_own_form(part))), None)
    if own is None or not any(map(_MATRICES.fullmatch, named[1:])):
        return _guess_multiplied(named, module)
    if any(len(form.shape) > _ROWS for form, _ in list_layer_forms(module)):
        return None
    return _guess_matrices(named, own[0].shape[1])


def _guess_multiplied(named: Sequence[str], module: nn.Module) -> Guess | None:
    """The same where `forward` multiplies what is called a matrix with rows for nn.Linear: its weights lie in 0..1."""
    widths = [part.in_features for part in nn.Module.modules(module) if isinstance(part, nn.Linear)]
    text = ast.unparse(parse_source_of(type(module).forward))
    matrices = [name for name in named if _MATRICES.fullmatch(name)]
    if len(named) == len(matrices) or not widths or not matrices:
        return None
    if not all(re.search(rf"\b(sp)?mm\({name}\b", text) for name in matrices):
        return None
    return _guess_matrices(named, widths[0], high=2)


def _guess_matrices(named: Sequence[str], width: int | str, high: int = 0) -> Guess:
    held = tuple(
        Input(name, "float32", ("nodes", "nodes"), 0, high)
        if _MATRICES.fullmatch(name)
        else Input(name, "float32", ("nodes", width))
        for name in named
    )
    return Guess(held, {"nodes": _SIZES["nodes"]})


def _guess_whole(named: Sequence[str], module: nn.Module) -> Guess:
    widths = (form.shape[-1] for form, _ in list_layer_forms(module))
    width = next((size for size in widths if isinstance(size, int)), 8)
    features = [name for name in named if not _is_of_graph(name) and not _PLACES.fullmatch(name)]
    held = tuple(
        _guess_part(name, _AXES if features and _PLACES.fullmatch(name) else width)
        for name in named
    )
    used = {size for given in held for size in given.shape}
    return Guess(held, {name: size for name, size in _SIZES.items() if name in used})


def _is_of_graph(name: str) -> bool:
    return any(each.fullmatch(name) for each in (_EDGES, _OF_EDGES, _WEIGHTS, _SAMPLES))


def _guess_part(name: str, width: int) -> Input:
    if _EDGES.fullmatch(name):
        return Input(name, "int64", (2, "edges"), 0, _JOINED)
    if _OF_EDGES.fullmatch(name):
        return Input(name, "float32", ("edges", width))
    if _WEIGHTS.fullmatch(name):
        return Input(name, "float32", ("edges",))
    if _SAMPLES.fullmatch(name):
        return Input(name, "int64", ("nodes",), 0, 2)
    return Input(name, "float32", ("nodes", width))
