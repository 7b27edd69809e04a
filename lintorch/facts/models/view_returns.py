"""How a tensor takes back what was written to a view of it, by one more assignment."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

_IN_ORDER = frozenset(
    {"view", "view_as", "reshape", "flatten", "unflatten", "ravel", "squeeze", "unsqueeze"}
)
_SWAPS = frozenset({"transpose", "swapaxes", "swapdims"})
_MOVES = frozenset({"movedim", "moveaxis"})
_PARTS = frozenset({"chunk", "split", "tensor_split"})


@dataclass(frozen=True)
class ViewMade:
    """`y.transpose(1, 2)` or `torch.transpose(y, 1, 2)`: the tensor's name, the method, what it is given."""

    base: str
    method: str
    given: tuple[ast.expr, ...]


def read_view(node: ast.AST) -> ViewMade | None:
    """What makes a view of a name; None of others."""
    match node:
        case ast.Subscript(value=ast.Name(id=base), slice=index):
            return ViewMade(base, "[]", (index,))
        case ast.Attribute(value=ast.Name(id=base), attr="T" | "mT" as method):
            return ViewMade(base, method, ())
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id="torch"), attr=method),
            args=[ast.Name(id=base), *given],
            keywords=[],
        ):
            return ViewMade(base, method, tuple(given))
        case ast.Call(func=ast.Attribute(value=ast.Name(id=base), attr=method), args=given):
            plain = all(each.arg == "dim" for each in node.keywords)
            named = tuple(each.value for each in node.keywords)
            return ViewMade(base, method, (*given, *named)) if plain else None
    return None


def write_return(made: ViewMade, names: Sequence[str], cat: str) -> str | None:
    """`y = v.view(y.shape)` for `v = y.flatten(1)`, `y[:, 1] = v` for `v = y[:, 1]`; None of others.

    `names` are those that the view, or its parts, were given.
    """
    y, v, method = made.base, names[0], made.method
    texts = [ast.unparse(each) for each in made.given]
    if method in _PARTS:
        axis = texts[1] if len(texts) > 1 else "0"
        return f"{y} = {cat}(({', '.join(names)}), {axis})" if len(names) > 1 else None
    if len(names) != 1:
        return None
    if method == "[]":
        return f"{y}[{texts[0].strip('()') if texts[0] != '()' else texts[0]}] = {v}"
    if method in _IN_ORDER:
        return f"{y} = {v}.view({y}.shape)"
    turned = _turn_back(method, made.given, texts)
    return f"{y} = {v}.{turned}" if turned else None


def _turn_back(method: str, given: Sequence[ast.expr], texts: Sequence[str]) -> str | None:
    """What takes the axes where they were."""
    if method in _SWAPS and len(texts) == 2:
        return f"transpose({', '.join(texts)})"
    if method in _MOVES and len(texts) == 2:
        return f"movedim({texts[1]}, {texts[0]})"
    if method in ("T", "mT"):
        return method
    if method == "t" and not texts:
        return "t()"
    if method == "permute":
        return _invert(given)
    return None


def _invert(given: Sequence[ast.expr]) -> str | None:
    """`permute(0, 3, 1, 2)` for `permute(0, 2, 3, 1)`."""
    if len(given) == 1 and isinstance(given[0], (ast.Tuple, ast.List)):
        given = given[0].elts
    axes: list[int] = []
    for each in given:
        try:
            axis = ast.literal_eval(each)
        except ValueError:
            return None
        axes.append(axis % len(given) if type(axis) is int else -1)
    if sorted(axes) != list(range(len(axes))):
        return None
    return f"permute({', '.join(str(axes.index(n)) for n in range(len(axes)))})"
