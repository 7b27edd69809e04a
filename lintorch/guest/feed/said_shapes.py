"""Shapes that comments and docstrings tell of what `forward` takes: `# x: [batch, num_atoms, num_dims]`."""

from __future__ import annotations

import ast
import inspect
import io
import re
import textwrap
import tokenize
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from torch import nn

from lintorch.guest.construct.function_text import parse_source_of
from lintorch.guest.feed.handed_on import find_handed
from lintorch.guest.feed.parameter_uses import (
    find_called_module,
    find_keyword,
    find_loop_modules,
)
from lintorch.guest.feed.viewed_rows import read_viewed

SaidShape = tuple[str, ...]
"""The words for the axes of one argument."""
_TYPE = re.compile(r"\((?:torch\.)?\w*[Tt]ensor\b[^()\[\]]*\)|:\s*(?:torch\.)?\w*Tensor\b")
_MATH = re.compile(r":math:|[`{}]|\bself\.")
"""Of formulas, and of code: `(N, T_{in}, V)`, `(batch, self.num_nodes)`."""
_DOUBLED = re.compile(r"\(\s*\[([^\[\]()]*)\]\s*\)")
"""As in `hidden ([layers, batch, dim])`."""
_BRACKETS = re.compile(r"[\[(][^\[\]()]*[\])]")
_EQUALS = re.compile(r"\b(shape|size)s?\s*[=:]\s*", re.IGNORECASE)
_LIST = r"(?P<open>[\[(])\s*(?P<list>[^\[\]()\n]{1,90}?)\s*(?P<one>,?)\s*[\])]"
_CROSSED = r"(?P<crossed>\w+(?: [x×*] \w+){1,5}|[A-Z0-9](?:x[A-Z0-9]\w*){1,5})(?!\w)"
_BARE = r"(?<=[:=] )(?P<bare>[A-Z]\w*(?:, ?[A-Z]\w*){1,5})\s*$"
"""As in `# source: B, T_1, N, D`."""
_BETWEEN = (
    r"(?: ?= ?(?:[a-zA-Z][^\n\[\](){}=:]{0,60} )?|[^\n\[\](){}=:]{0,20}:?[^\n\[\](){}=:]{0,60}?)"
)
_INPUT = r"(?i:inputs?(?: (?:shape|size|tensor|data))?)"
_WORDS = re.compile(
    r"tensor|optional|list|tuple|float|int|bool|str|default|dict|none|required|torch|true|false|and|or|the"
)
"""What stands in brackets behind a name and is no axis."""
_SPACED = re.compile(r"(?<=\w) (?=\w)")
"""As in `[batch size, src len]`."""
_AXIS = re.compile(r"\w+(?: ?[*+/-] ?\w+)*")
_SAMPLES = re.compile(r"[BN]|batch(_?size)?")
"""The word of an axis that may stand alone in brackets: `uids: (B)`."""
_NODES = re.compile(r"(num_|n_)?(nodes?|vertices|joints?|stations|sensors)|N|V")
"""Words for an axis of what a graph joins."""
_MOST_AXES = 6
_DEEPEST_PART = 2
"""Models inside each other into which an argument is followed that is passed on as it is."""


def read_said_shapes(module: nn.Module, depth: int = 0) -> dict[str, SaidShape]:
    """By name of a parameter: the words for its axes, where the text of the class tells them, or of a part that gets it.

    `depth` counts the models that this one is inside of.
    """
    try:
        names = list(inspect.signature(find_handed(module)).parameters)
        pieces = list(_list_texts(module))
    except (OSError, TypeError, SyntaxError, ValueError, tokenize.TokenError):
        return {}
    found: dict[str, SaidShape] = {}
    for row, text, assigned in pieces:
        text = _clean(text)
        for name in names:
            if name in found or assigned.get(name, row) < row:
                continue
            if shape := _find_shape(re.escape(name), text):
                found[name] = shape
    texts = [text for _, text, _ in pieces]
    found |= _read_graphs(names, found, texts)
    if names and names[0] not in found:
        said = (_find_shape(_INPUT, _clean(text)) for row, text, assigned in pieces)
        found |= {names[0]: shape} if (shape := next(filter(None, said), ())) else {}
    forward = find_handed(module)
    found = {**read_viewed(forward, names), **_read_unpacked(forward, names), **found}
    lacking = [name for name in names if name not in found]
    return {**_read_of_parts(module, lacking, depth), **found}


def _read_graphs(
    names: Sequence[str], found: Mapping[str, SaidShape], texts: Sequence[str]
) -> dict[str, SaidShape]:
    """A matrix of adjacency, by what is said of it, joins the nodes that another argument has."""
    nodes = next((a for axes in found.values() for a in axes[1:] if _NODES.fullmatch(a)), "")
    told = {
        name
        for name in names
        for text in texts
        if re.search(rf"(?<![\w.]){re.escape(name)}\b[^\n]{{0,40}}adjacency", text, re.IGNORECASE)
    }
    return {name: (nodes, nodes) for name in told - found.keys() if nodes}


def _clean(text: str) -> str:
    """A text without types and signs of formulas."""
    text = _DOUBLED.sub(r"[\1]", _MATH.sub("", text))
    text = _BRACKETS.sub(lambda found: found[0].replace(" x ", " × "), text)  # no argument x
    return _EQUALS.sub(r"\1 ", _TYPE.sub(" ", text))


def _read_of_parts(module: nn.Module, names: Sequence[str], depth: int) -> dict[str, SaidShape]:
    """What parts of the user's tell of the arguments that they get as they are, before anything else is put in their place."""
    found: dict[str, SaidShape] = {}
    tree = parse_source_of(find_handed(module))
    rows = dict(sorted(_list_stores(tree), reverse=True))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    looped = dict(find_loop_modules(ast.walk(tree), module))
    for node in calls if depth < _DEEPEST_PART else ():
        part = find_called_module(node, module, looped)
        if part is None or type(part).__module__.startswith("torch."):
            continue
        for name in names:
            keyword = find_keyword(node, name, part)
            if keyword and rows.get(name, node.lineno) >= node.lineno and name not in found:
                said = read_said_shapes(part, depth + 1)
                found |= {name: said[keyword]} if keyword in said else {}
    return found


def _read_unpacked(forward: Callable[..., Any], names: Sequence[str]) -> dict[str, SaidShape]:
    """The names that `n, c, t, v = x.size()`, or `list(x.size())`, has for the axes of an argument."""
    found: dict[str, SaidShape] = {}
    for node in ast.walk(parse_source_of(forward)):
        match node:
            case ast.Assign([target], ast.Call(ast.Name("list" | "tuple"), [shape])):
                node = ast.Assign([target], shape)
        match node:
            case ast.Assign(
                [ast.Tuple(parts)], ast.Attribute(ast.Name(name), "shape")
            ) | ast.Assign(
                [ast.Tuple(parts)], ast.Call(ast.Attribute(ast.Name(name), "size"), [])
            ) if name in names and name not in found:
                axes = tuple(part.id if isinstance(part, ast.Name) else "" for part in parts)
                if all(axes) and 1 < len(axes) <= _MOST_AXES:
                    found[name] = axes
    return found


def _find_shape(spelled: str, text: str) -> SaidShape:
    """The axes that stand behind a name; none where they are none."""
    start = rf"(?<![\w.]){spelled}(?![\w.(\[])(?P<between>{_BETWEEN})"
    for match in re.finditer(rf"{start}(?:{_LIST}|{_CROSSED}|{_BARE})", text):
        listed = match["list"] or match["bare"]
        parts = _split_listed(listed) if listed else re.split(r" ?[x×*] ?", match["crossed"])
        axes = tuple(part.partition("=")[0].strip(" `'\"") for part in parts)
        if match["open"] == "[":
            axes = tuple(_SPACED.sub("_", axis) for axis in axes)
        if _are_axes(axes, match["open"] == "[" or bool(match["one"])):
            return axes
    return ()


def _split_listed(listed: str) -> list[str]:
    """The axes between brackets: `batch, len`, and `batch * len`, `batch x len` where there is no comma."""
    return listed.split(",") if "," in listed else re.split(r" [x×*] ", listed)


def _are_axes(axes: SaidShape, bracketed: bool) -> bool:
    least = 1 if bracketed or _SAMPLES.fullmatch(axes[0]) else 2
    if not least <= len(axes) <= _MOST_AXES:
        return False
    if any(_WORDS.fullmatch(axis.lower()) or not _AXIS.fullmatch(axis) for axis in axes):
        return False
    return not all(axis.isdigit() for axis in axes)


def _list_texts(module: nn.Module) -> Iterator[tuple[int, str, Mapping[str, int]]]:
    """Comments and docstrings with their rows, and the row at which `forward` first gives each name something."""
    forward = find_handed(module)
    source = textwrap.dedent(inspect.getsource(inspect.unwrap(forward)))
    tree = ast.parse(source).body[0]
    assigned = dict(sorted(_list_stores(tree), reverse=True))
    for document in (ast.get_docstring(tree) if isinstance(tree, ast.FunctionDef) else None,):
        yield from ((0, line, assigned) for line in _join_lines(document))
    yield from ((row, text, assigned) for row, text in _list_comments(source))
    whole = textwrap.dedent(inspect.getsource(type(module)))
    head = whole.partition("def __init__")[0]
    yield from ((0, line, {}) for line in _join_lines(type(module).__doc__))
    yield from ((0, text, {}) for _, text in _list_comments(whole[: len(head)]))


def _list_stores(tree: ast.AST) -> Iterator[tuple[str, int]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno


def _join_lines(document: Any) -> Iterator[str]:
    """The lines of a docstring, each with the one below it too, as texts go on there."""
    lines = [line.strip() for line in document.splitlines()] if isinstance(document, str) else []
    for line, further in zip(lines, [*lines[1:], ""], strict=False):
        yield line
        if ":" not in further:
            yield f"{line} {further}"


def _list_comments(source: str) -> Iterator[tuple[int, str]]:
    """Comments by their rows, each also with the one right below it."""
    found: dict[int, str] = {}
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.COMMENT:
                found[token.start[0]] = token.string.lstrip("# ")
    except (tokenize.TokenError, IndentationError):
        pass
    for row, text in found.items():
        yield row, text
        if row + 1 in found and ":" not in found[row + 1]:
            yield row, f"{text} {found[row + 1]}"
