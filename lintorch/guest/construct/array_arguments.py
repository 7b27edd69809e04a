"""Arrays that a constructor takes: tables of word vectors, matrices of graphs, told by what its text does with them."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import torch

from lintorch.guest.construct.function_text import parse_source_of
from lintorch.guest.construct.parameters import list_reachable_parameters

_ARRAY_TAKERS = frozenset(("tensor", "as_tensor", "from_numpy", "FloatTensor"))
"""Functions that make a tensor of an array."""
_GRAPH_NAMES = re.compile(
    r"adj\w*|a_?(hat|norm)?|gso|\w*laplac\w*|\w*(adjacency|graph|matrix_w)\w*"
)
_GRAPH_SETTINGS = re.compile(r"gso|adjs?|adj_?ma?t\w*|\w+_adj|\w*adjacency\w*|\w*laplacian\w*")
"""Names of settings that nothing but a graph's matrix has."""
_WIDTH_NAMES = re.compile(r"(\w+_)?(embed\w*|emb|word|vec\w*|d)_?(dim|size|width|length|d|model)s?")
_COUNT_NAMES = re.compile(
    r"(\w+_)?(vocab\w*|words?|tokens?|embeddings)(_(size|num|count|len))?|(num|n)_?(words|tokens|vocab|embeddings)"
)
"""Names of how many rows a table of words has."""
_NODE_NAMES = re.compile(r"(num|n)_?(of_)?(nodes?|vert\w+|joints?|sensors?|stations?)|nodes?_num")
_SIDES = (_NODE_NAMES, re.compile(r"input_dim|in_features|num_features"))
"""Names of sizes that a square matrix may have, the likeliest first."""
_WANTS_TENSOR = re.compile(r"'(?:int|float|list|tuple|NoneType)' object has no attribute '(\w+)'")
_BOTH_SIDES = tuple(
    re.compile(rf"(n|num|nb)_?{side}s?|{side}_?(num|count|size)") for side in ("user", "item")
)
"""Names of sizes that a matrix has of a graph that joins users and items: as many nodes as both."""
_SPARSE = frozenset(("tocoo", "tocsr", "tocsc", "todense", "toarray"))
"""Methods of matrices of SciPy."""
_ROWS, _WIDTH, _NODES = 128, 64, 16
_SEVERAL = 4
"""Matrices where several are wanted: powers of a graph's, relations."""


def make_array(call: Callable[..., Any], name: str, given: Mapping[str, Any]) -> Any:
    """An array for a parameter that takes one, where what else is `given` tells its width; else None."""
    uses = find_array_uses(call).get(name, frozenset())
    if not uses:
        return None
    if _GRAPH_NAMES.fullmatch(name.lower()):
        made = _make_graph(_find_number(call, given, _NODE_NAMES))
    else:
        width = _find_number(call, given, _WIDTH_NAMES) or _find_global_width(call, name) or _WIDTH
        rows = _find_number(call, given, _COUNT_NAMES) if "weight" in uses else 0
        made = torch.randn(rows or _ROWS, width, generator=torch.Generator().manual_seed(0))
    return made.numpy() if uses & _ARRAY_TAKERS else made


def _find_global_width(call: Callable[..., Any], name: str) -> int:
    """What the file of `call` says of the width of an array of words or the like: `d_word` of `word_mat`; 0 where nothing."""
    word = re.split(r"_(?=[a-z]*$)", name)[0]
    names = re.compile(rf"d_{word}|{word}_?(emb\w*_?)?(dim|size|width)")
    scope = vars(inspect.getmodule(call) or inspect)
    return next(_pick_numbers(n for key, n in scope.items() if names.fullmatch(key.lower())), 0)


def make_graph_setting(call: Callable[..., Any], name: str, given: Mapping[str, Any]) -> Any:
    """The matrix of a graph for a setting of such a name, as big as what else is `given` says, several for `adjs`; else None."""
    if not _GRAPH_SETTINGS.fullmatch(name.lower()):
        return None
    made = _make_graph(_find_number(call, given, _NODE_NAMES))
    return [made, made] if name.lower() == "adjs" else made


def _make_graph(nodes: int) -> torch.Tensor:
    """The matrix of a graph of so many nodes; of a few where that is not known."""
    side = nodes or _NODES
    return torch.eye(side) * 0.5 + 0.5 / side


def suggest_tensors(
    call: Callable[..., Any], given: Mapping[str, Any], message: str
) -> Iterator[Mapping[str, Any]]:
    """The arguments with a matrix, then with several, in the place of what was asked for something of tensors.

    The message quotes the lines that it came from: `'int' object has no attribute 'device'`.
    """
    asked = _WANTS_TENSOR.search(message)
    wants_sparse = asked is not None and asked[1] in _SPARSE and bool(find_spec("scipy"))
    if asked is None or not (wants_sparse or hasattr(torch.Tensor, asked[1])):
        return
    optional = (p.name for p in list_reachable_parameters(call) if p.default in (None, [], ()))
    matrix = _make_graph(_count_nodes(call, given))
    if wants_sparse:
        matrix = import_module("scipy.sparse").csr_matrix(matrix.numpy())
    for name in dict.fromkeys((*given, *optional)):
        if re.search(rf"(?<!\w){name}(?!\w)", message):
            yield {**given, name: matrix}
            yield {**given, name: [matrix] * _SEVERAL}


def _count_nodes(call: Callable[..., Any], given: Mapping[str, Any]) -> int:
    """How many nodes the graph of a matrix has; 0 where nothing tells."""
    said = {p.name: p.default for p in list_reachable_parameters(call)} | dict(given)
    both = [_find_number(call, said, names) for names in _BOTH_SIDES]
    alone = (_find_number(call, given, names) for names in _SIDES)
    return next(filter(None, alone), 0) or (sum(both) if all(both) else 0)


@lru_cache(maxsize=256)
def find_array_uses(call: Callable[..., Any]) -> Mapping[str, frozenset[str]]:
    """By name of a parameter that nothing but an array will do for: the functions that it is passed to."""
    tree = parse_source_of(call.__init__ if inspect.isclass(call) else call)
    found: dict[str, set[str]] = {}
    made_of = {
        target.id: set(_list_names(node.value))
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        for name, taker in _list_uses(node):
            for each in {name, *made_of.get(name, ())}:
                found.setdefault(each, set()).add(taker)
    nested = {name for name, takers in found.items() if takers - _ARRAY_TAKERS}
    sure = {name for name, takers in found.items() if "from_numpy" in takers} | nested
    return {name: frozenset(found[name]) for name in sure}


def _list_uses(node: ast.AST) -> Iterator[tuple[str, str]]:
    """The names that one call takes as arrays, with the function: `nn.Embedding.from_pretrained(m)`.

    So is what a layer's weights are set to: `self.table.weight = nn.Parameter(m)`.
    """
    match node:
        case ast.Assign([ast.Attribute(_, "weight")], ast.Call(made, [ast.Name(name), *_])):
            if ast.unparse(made).endswith("Parameter"):
                yield name, "weight"
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return
    taker, first = node.func.attr, node.args[0] if node.args else None
    written = ast.unparse(node.func)
    is_table = taker == "from_pretrained" and "Embedding" in written
    if is_table or (taker == "copy_" and "weight" in written):
        yield from ((name, taker) for name in _list_names(first))
    if taker in _ARRAY_TAKERS and isinstance(first, ast.Name):
        yield first.id, taker


def _list_names(value: ast.expr | None) -> set[str]:
    """The names in an expression, but for those of which a setting is read: `config.table` is no `config`."""
    parts = list(ast.walk(value)) if value is not None else []
    called = {id(part.func) for part in parts if isinstance(part, ast.Call)}
    read = {
        id(part.value)
        for part in parts
        if isinstance(part, ast.Attribute) and id(part) not in called
    }
    return {part.id for part in parts if isinstance(part, ast.Name) and id(part) not in read}


def _find_number(call: Callable[..., Any], given: Mapping[str, Any], names: re.Pattern[str]) -> int:
    """What an argument of such a name is, or a setting of such a name that the constructor reads."""
    found = (value for name, value in given.items() if names.fullmatch(name))
    read = (
        getattr(given[holder], attribute, None)
        for holder, attribute in _list_settings_read(call)
        if holder in given and names.fullmatch(attribute)
    )
    return next(_pick_numbers((*found, *read)), 0)


def _pick_numbers(values: Iterable[Any]) -> Iterator[int]:
    return (value for value in values if type(value) is int and value > 0)


@lru_cache(maxsize=256)
def _list_settings_read(call: Callable[..., Any]) -> tuple[tuple[str, str], ...]:
    """`opt`, `embed_dim` of each `opt.embed_dim` in the constructor's text."""
    tree = parse_source_of(call.__init__ if inspect.isclass(call) else call)
    read = (node for node in ast.walk(tree) if isinstance(node, ast.Attribute))
    return tuple((part.value.id, part.attr) for part in read if isinstance(part.value, ast.Name))
