"""Arguments of `forward` that hold several tensors: lists and mappings, as its own text uses them."""

from __future__ import annotations

import ast
import copy
import inspect
import math
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from lintorch.guest.construct.function_text import parse_source_of
from lintorch.guest.construct.parameters import read_annotation
from lintorch.guest.feed.guess_lengths import is_named_as_lengths
from lintorch.guest.feed.handed_on import find_taker
from lintorch.record.arguments import LeafPlace

Structure = tuple[LeafPlace, ...]
"""The places of the tensors in one argument."""
_LIST_ANNOTATION = re.compile(
    r"^(typing\.)?(List|list|Sequence|Tuple|tuple|Iterable)\[(?!(int|float|str|bool)\b)"
)
_NESTED_ANNOTATION = re.compile(r"(List|list|Sequence)\[(List|list|Sequence)\[")
_JOINING = frozenset(("torch.stack", "torch.cat", "torch.concat", "torch.hstack", "torch.vstack"))
"""Functions that take several tensors as one argument."""
_COUNTS = re.compile(
    r"(n|num|nbr|nb)_?(of_)?((ref|reference|source|src|neighbou?r|input)_)?(inputs?|frames?|views?|images?|imgs?|scans|sources)"
)
"""Arguments of constructors that say how many tensors a list holds."""
_CONTAINERS = re.compile(r"\b(list|tuple|dict|Sequence|Mapping)\b")
_ITERATING_FUNCTIONS = frozenset(("enumerate", "zip", "len", "reversed", "list"))
_USUAL_PARTS, _MOST_PARTS = 2, 16
"""Tensors in a list of which nothing tells how many it holds."""
_CHANNEL_NAMES = ("in_channels", "in_channels_list", "in_dims", "in_features", "channels")
_ENCODER_CHANNELS = re.compile(r"^in_|_in$|enc|feat|input")
_MANY_CHANNELS = re.compile(r"(^|_)(ch|chs|chns|chans?|channels?|planes|dims)(_|$)")


def find_structures(module: Any, held: int) -> dict[str, tuple[Structure, bool]]:
    """By the name of an argument that seems to be no tensor: its places, and whether that is sure.

    A list has `held` tensors where nothing else tells.
    """
    tree = parse_source_of(module.forward)
    if not tree.body:
        return {}
    given = inspect.signature(module.forward).parameters
    written = {
        name: read_annotation(parameter)
        for name, parameter in given.items()
        if parameter.kind is not parameter.VAR_POSITIONAL
    }
    kept = {**getattr(inspect.unwrap(module.forward), "__globals__", {}), **_list_kept(module)}
    found = {
        name: _find_unguarded(name, text, tree, held, kept) or _find_in_part(module, name)
        for name, text in written.items()
        if not is_named_as_lengths(name)
    }
    return {name: structure for name, structure in found.items() if structure}


def _find_unguarded(
    name: str, written: str, tree: ast.AST, held: int, kept: Mapping[str, Any]
) -> tuple[Structure, bool] | None:
    """The structure of an argument; not surely one where only `if isinstance(x, tuple): …` takes it apart."""
    found = _find_structure(name, written, tree, held, kept)
    if found is None:
        return None
    plain = _GuardRemover(name).visit(copy.deepcopy(tree))
    unasked = _find_structure(name, written, plain, held, kept)
    return found if unasked == found else (found[0], False)


class _GuardRemover(ast.NodeTransformer):
    """Takes out what runs only where an argument was found to be a tuple, list or mapping."""

    def __init__(self, name: str) -> None:
        asks = rf"isinstance\({re.escape(name)}, .*\)|type\({re.escape(name)}\) (is|==|in) .*"
        self._guard = re.compile(asks)

    def visit_If(self, node: ast.If) -> ast.AST:
        """The branch without its statements."""
        text = ast.unparse(node.test)
        if self._guard.fullmatch(text) and _CONTAINERS.search(text):
            node.body = [ast.copy_location(ast.Pass(), node)]
        return self.generic_visit(node)


def _find_in_part(module: Any, name: str) -> tuple[Structure, bool] | None:
    """What the part takes an argument apart into that it is handed on to as it is."""
    part, given = find_taker(module, name)
    taken = {} if part is module else _take_apart(given, parse_source_of(part.forward))
    return (tuple(taken), True) if taken else None


def count_by_arguments(arguments: Mapping[str, Any]) -> int:
    """How many tensors a model was built for in one list; 0 where nothing tells."""
    found = (value for name, value in arguments.items() if _COUNTS.fullmatch(name))
    return next((n for n in found if type(n) is int and 0 < n <= _MOST_PARTS), 0)


def find_part_names(module: Any, name: str) -> tuple[str, ...]:
    """`a`, `b` and `c` of `a, (b, c) = x`, where an argument is taken apart so, or by the part that gets it; else ()."""
    module, name = find_taker(module, name)
    tree = parse_source_of(module.forward)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Assign) or getattr(node.value, "id", "") != name:
            continue
        if isinstance(target := node.targets[0], (ast.Tuple, ast.List)):
            return tuple(_list_leaves(target).values())
    return ()


def _find_structure(
    name: str, written: str, tree: ast.AST, held: int, kept: Mapping[str, Any]
) -> tuple[Structure, bool] | None:
    if keys := tuple(dict.fromkeys(_find_keys(name, tree, kept))):
        return tuple((key,) for key in keys), True
    is_list = bool(_LIST_ANNOTATION.search(written))
    if is_list and _NESTED_ANNOTATION.search(written):
        return tuple((n, 0) for n in range(_USUAL_PARTS)), True
    taken = _take_apart(name, tree)
    parts = len(taken)
    if any(len(place) > 1 for place in taken):
        return tuple(taken), True
    is_list = is_list or _is_joined(name, tree)
    count = parts or max(_count_parts(name, tree), default=0)
    if not (is_list or count) or written == "Tensor":
        return None
    wanted = parts or max(count, held or _USUAL_PARTS)
    sure = is_list or bool(parts) or _is_only_indexed(name, tree)
    return tuple((number,) for number in range(wanted)), sure


def _list_kept(module: Any) -> dict[str, Any]:
    """What a model keeps, by `self.name`."""
    return {f"self.{name}": value for name, value in vars(module).items()}


def _find_keys(name: str, tree: ast.AST, kept: Mapping[str, Any]) -> Iterator[str]:
    """`a` of `x["a"]` that is read, and those of `x[key]` in a loop over words that are `kept` by a name."""
    loops = [
        (node.target.id, kept.get(ast.unparse(node.iter)))
        for node in ast.walk(tree)
        if isinstance(node, (ast.For, ast.comprehension)) and isinstance(node.target, ast.Name)
    ]
    last = _find_row_of_part(name, tree, kept.get("self._modules", {}))
    for node in ast.walk(tree):
        if not isinstance(node, ast.Subscript) or getattr(node.value, "id", "") != name:
            continue
        if node.lineno > last:
            continue
        key = getattr(node.slice, "value", None)
        if isinstance(key, str) and isinstance(node.ctx, ast.Load):
            yield key
        counted = getattr(node.slice, "id", "")
        for words in [words for target, words in loops if target == counted]:
            if isinstance(words, (list, tuple, dict)) and len(words) <= _MOST_PARTS:
                yield from (word for word in words if isinstance(word, str))


def _find_row_of_part(name: str, tree: ast.AST, parts: Mapping[str, Any]) -> float:
    """The row from which on a name holds what a part of the model gave in any case: `x = self.encoder(x)`."""
    function = next((node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)), None)
    for node in function.body if function else ():
        match node:
            case ast.Assign([ast.Name(stored)], ast.Call(ast.Attribute(ast.Name("self"), part))):
                if stored == name and part in parts:
                    return node.lineno
    return math.inf


def _count_parts(name: str, tree: ast.AST) -> Iterator[int]:
    """How many parts an argument is used as if it had; -1 for as many as there may be."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and getattr(node.value, "id", "") == name:
            if isinstance(target := node.targets[0], (ast.Tuple, ast.List)):
                yield len(target.elts)
        elif isinstance(node, ast.Subscript) and getattr(node.value, "id", "") == name:
            index = getattr(node.slice, "value", None)
            if type(index) is int:
                yield index + 1
            elif _is_from_behind(node.slice) or _is_counter(node.slice, tree):
                yield -1
        elif isinstance(node, (ast.For, ast.comprehension)) and name in _find_iterated_names(
            node.iter
        ):
            yield -1


def _is_joined(name: str, tree: ast.AST) -> bool:
    """Whether `torch.stack(x)`, or `list.extend(x)`, is done with it, until something else is called so."""
    last = _find_first_store(name, tree)
    return any(
        isinstance(node, ast.Call)
        and (ast.unparse(node.func) in _JOINING or getattr(node.func, "attr", "") == "extend")
        and bool(node.args)
        and getattr(node.args[0], "id", "") == name
        and node.lineno <= last
        for node in ast.walk(tree)
    )


def _is_from_behind(index: ast.expr) -> bool:
    """Whether an index counts from the last: `x[-1]`."""
    return isinstance(index, ast.UnaryOp) and type(getattr(index.operand, "value", None)) is int


def _is_counter(index: ast.expr, tree: ast.AST) -> bool:
    """Whether an index is worked out of a number that a loop counts: `x[i - 1]` of `for i in range(4)`."""
    asked = {part.id for part in ast.walk(index) if isinstance(part, ast.Name)}
    if isinstance(index, (ast.Slice, ast.Tuple)) or not asked:
        return False
    counted = (
        getattr(loop.target, "id", "")
        for loop in ast.walk(tree)
        if isinstance(loop, (ast.For, ast.comprehension))
        and getattr(getattr(loop.iter, "func", None), "id", "") == "range"
    )
    return asked <= {*counted}


def _take_apart(name: str, tree: ast.AST) -> dict[LeafPlace, str]:
    """What `a, (b, c) = x` calls the parts of it, by their places, before anything else is called so; else nothing."""
    last = _find_first_store(name, tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and getattr(node.value, "id", "") == name:
            target = node.targets[0]
            if isinstance(target, (ast.Tuple, ast.List)) and node.lineno <= last:
                return _list_leaves(target) if len(target.elts) > 1 else {}
    return {}


def _list_leaves(target: ast.Tuple | ast.List, before: LeafPlace = ()) -> dict[LeafPlace, str]:
    """The names in a target of an assignment, by their places."""
    found: dict[LeafPlace, str] = {}
    for number, part in enumerate(target.elts):
        if isinstance(part, (ast.Tuple, ast.List)):
            found |= _list_leaves(part, (*before, number))
        else:
            found[(*before, number)] = getattr(part, "id", "")
    return found


def _is_only_indexed(name: str, tree: ast.AST) -> bool:
    """Whether nothing is done with it but `x[0]` and `x[1]`, until something else is called so."""
    last = _find_first_store(name, tree)
    indexed = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Subscript) and type(getattr(node.slice, "value", None)) is int
    ]
    uses = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
    ]
    uses = [use for use in uses if use.lineno <= last]
    return bool(uses) and all(use in indexed for use in uses)


def _find_first_store(name: str, tree: ast.AST) -> float:
    """The row that first gives a name something else."""
    stored = (
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)
    )
    return min(stored, default=math.inf)


def _find_iterated_names(node: ast.expr) -> set[str]:
    """Names that a loop goes through: `x` of `zip(x, self.layers)`."""
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") in _ITERATING_FUNCTIONS:
        return {part.id for part in node.args if isinstance(part, ast.Name)}
    return {node.id} if isinstance(node, ast.Name) else set()


def _read_defaults(kind: type) -> dict[str, Any]:
    try:
        given = inspect.signature(kind).parameters
    except (TypeError, ValueError):
        return {}
    return {name: each.default for name, each in given.items()}


def read_list_channels(module: Any, arguments: Mapping[str, Any]) -> tuple[int, ...]:
    """The channels of each tensor in a list, where the module was told several; else ()."""
    arguments = {**_read_defaults(type(module)), **arguments}
    named = sorted(arguments, key=lambda name: not _ENCODER_CHANNELS.search(name))
    for value in (
        *(getattr(module, n, None) for n in _CHANNEL_NAMES),
        *map(arguments.get, _CHANNEL_NAMES),
        *(getattr(module, n, arguments[n]) for n in named if _MANY_CHANNELS.search(n)),
    ):
        found = re.findall(r"\d+", value) if isinstance(value, str) else value
        found = found.tolist() if hasattr(found, "tolist") else found
        if isinstance(found, (list, tuple)) and len(found) > 1:
            with suppress(TypeError, ValueError):
                return tuple(map(int, found))
    return ()
