"""Pools whose window is a plain number: what each is called, and the pool to one cell in its place."""

from __future__ import annotations

import ast

import libcst as cst

from lintorch.core.finding import Applicability, Fix
from lintorch.evaluator.events import Called
from lintorch.facts.models.size_edits import EditsSizes

POOLS = tuple(f"{kind}{n}d" for kind in ("avg_pool", "max_pool", "lp_pool") for n in (1, 2, 3))
WINDOWS = {
    **{f"torch.nn.functional.{pool}": pool for pool in POOLS},
    **{f"torch.nn.{kind}Pool{n}d.forward": f"{kind}Pool{n}d"
       for kind in ("Avg", "Max", "LP") for n in (1, 2, 3)},
}  # fmt: skip
"""Pools whose window is a plain number."""


def pool_all(name: str) -> str:
    """What pools to one cell, whatever the size."""
    pool = WINDOWS[name]
    if pool.lower().startswith("lp"):
        return "write torch.linalg.vector_norm(x, p, (-2, -1), keepdim=True)"
    if pool[0].isupper():
        return f"write nn.Adaptive{pool}(1) where all of it is pooled"
    return f"write F.adaptive_{pool}(x, 1) where all of it is pooled"


def is_whole_window(node: ast.AST) -> bool:
    """`F.max_pool1d(x, x.size(2))`: nobody asks for a size that is always the same to pool all of it."""
    match node:
        case ast.Call(args=[ast.Name(id=name), *rest], keywords=named):
            asked = [*rest[:1], *(each.value for each in named if each.arg == "kernel_size")]
            return any(reads_shape_of(each, name) for each in asked)
    return False


def reads_shape_of(node: ast.expr, name: str) -> bool:
    """`x.size(2)`, `x.shape[-1]`, `x.size()[2:]`, `(x.shape[2], x.shape[3])`."""
    match node:
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return bool(parts) and all(reads_shape_of(part, name) for part in parts)
        case ast.Subscript(value=inner) | ast.Call(func=ast.Attribute(attr="size") as inner):
            return reads_shape_of(inner, name)
        case ast.Attribute(value=ast.Name(id=read), attr="shape" | "size"):
            return read == name
    return False


def pool_to_one(event: Called, source: EditsSizes) -> Fix | None:
    """`F.adaptive_avg_pool2d(x, 1)` for `F.avg_pool2d(x, x.shape[2:])`.

    The same cell where the window is all of an axis: for one side as a square window, of square maps.
    """
    call, pool = source.call_at(event), WINDOWS[event.name]
    if call is None or pool not in POOLS or source.name(call.func) != event.name:
        return None
    given = source.arguments(call, "input", "kernel_size")
    image, size = given.get("input"), given.get("kernel_size")
    name, edits = source.reach(f"torch.nn.functional.adaptive_{pool}", call)
    if image is None or size is None or pool.startswith("lp") or not name:
        return None
    window = source.code(size)
    if not all(is_idle(arg) or _is_window(arg, window, source) for arg in call.args[2:]):
        return None
    axes = int(pool[-2])
    sides = count_sides(find_assigned(size, source), source.code(image), axes, source)
    if sides not in (1, axes):
        return _pool_one_side(call, image, size, pool, source)
    text = f"{name}({source.code(image)}, 1)"
    exact = pool.startswith("max") and sides == axes
    promise = Applicability.SAFE if exact else Applicability.UNSAFE
    return Fix(f"write {text}", (source.replace(call, text), *edits), promise)


def _pool_one_side(
    call: cst.Call,
    image: cst.BaseExpression,
    size: cst.BaseExpression,
    pool: str,
    source: EditsSizes,
) -> Fix | None:
    """`x.mean(2, keepdim=True)` for `F.avg_pool2d(x, (x.size(2), 1))`: the window is all of one axis."""
    if not isinstance(size, cst.Tuple) or len(size.elements) != 2 or not pool.endswith("2d"):
        return None
    written = [find_assigned(each.value, source) for each in size.elements]
    ones = [isinstance(each, cst.Integer) and each.value == "1" for each in written]
    same = source.code(size)
    strided = any(
        arg.keyword and arg.keyword.value == "stride" and source.code(arg.value) not in ("1", same)
        for arg in call.args
    )
    if ones.count(True) != 1 or strided or not isinstance(image, (cst.Name, cst.Attribute)):
        return None
    axis, held = 2 + ones.index(False), source.code(image)
    read = "".join(source.code(written[axis - 2]).split()).removeprefix("int(").strip("()[]")
    shapes = (f"{held}.shape", f"{held}.size()")
    reads = {
        text
        for shape in shapes
        for text in (f"{shape}[{axis}]", f"{shape}[{axis - 4}]", f"{shape}[2:][{axis - 2}]")
    } | {f"{held}.size({axis})", f"{held}.size({axis - 4})"}
    if read not in {each.strip("()[]") for each in reads}:
        return None
    text = f"{held}.{'mean' if pool.startswith('avg') else 'amax'}({axis}, keepdim=True)"
    return Fix(f"write {text}", (source.replace(call, text),), Applicability.UNSAFE)


def _is_window(arg: cst.Arg, window: str, source: EditsSizes) -> bool:
    """`stride=` of the window itself, which is what it is by default."""
    named = arg.keyword is not None and arg.keyword.value == "stride"
    return named and source.code(arg.value) == window


def is_idle(arg: cst.Arg) -> bool:
    """Whether an argument by name changes nothing of the one cell: `stride=1`, `padding=0`."""
    named = arg.keyword.value if arg.keyword else ""
    literal = isinstance(arg.value, (cst.Integer, cst.Name)) and arg.value.value
    return (named, literal) == ("padding", "0") or (
        named in ("stride", "ceil_mode", "count_include_pad")
        and (isinstance(arg.value, cst.Integer) or literal in ("True", "False"))
    )


def find_assigned(node: cst.BaseExpression, source: EditsSizes) -> cst.BaseExpression:
    """What a name was assigned, where that happens once; else the expression itself."""
    bound = source.bound(node) if isinstance(node, cst.Name) else []
    given = bound[0].node if len(bound) == 1 and bound[0].kind == "assign" else node
    return given if isinstance(given, cst.BaseExpression) else node


def count_sides(node: cst.BaseExpression, image: str, axes: int, source: EditsSizes) -> int:
    """How many of the last axes of an image a window names: 2 of `x.shape[2:]`, 1 of `x.size(2)`; else 0."""
    text = "".join(source.code(node).split()).strip("()[]")
    shapes = (f"{image}.shape", f"{image}.size()")
    reads = (*(f"{shape}[{{}}]" for shape in shapes), f"{image}.size({{}})")
    for first in (2, -axes):
        several = [",".join(read.format(first + n) for n in range(axes)) for read in reads]
        if text in {each.strip("()[]") for each in several}:
            return axes
        if axes > 1 and text in {f"{shape}[{first}:]".strip("()[]") for shape in shapes}:
            return axes
    sides = {read.format(n).strip("()[]") for read in reads for n in (2, 3, -1, -2)}
    return int(axes == 2 and text in sides)
