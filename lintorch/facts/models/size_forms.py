"""Arithmetic and tensors of sizes in forms that keep them symbolic under every exporter."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

_PURE = frozenset({"size", "dim", "ceil", "floor", "int", "len", "abs", "round"})
_MOST = 40
"""Characters of the operands that are written twice."""
_OWN_NAMES = ("more", "rest", "count")
"""What is returned may be called so first."""


@dataclass(frozen=True)
class Extreme:
    """What is written for `max(a, b)`; `above`: a line that gives the name in it its value first."""

    text: str
    above: str = ""


def write_extreme(
    call: ast.AST, statement: ast.AST | None, function: ast.AST | None = None
) -> Extreme | None:
    """`b + (a - b) * ((2 * (a - b) + 2**30 - 1) // 2**30)` for `max(a, b)` of whole numbers; see `write_side`.

    What is long is put into the name that the whole statement gives it, first, or, where it is
    returned, into one that the function does not use. None where an operand may do more than read
    sizes.
    """
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        return None
    larger, given = call.func.id == "max", _list_operands(call)
    if len(given) == 3:
        return _write_of_three(call, given, larger, _name_of_whole(call, statement, function))
    if len(given) != 2 or call.keywords:
        return None
    first, second = sorted(given, key=_is_zero)
    if not (is_pure(first) and is_pure(second)):
        return None
    texts = [_in_brackets(each) for each in (first, second)]
    above = ""
    if len(texts[0]) > _MOST and _is_zero(second):
        name = _name_of_whole(call, statement, function)
        if not name:
            return None
        above, texts[0] = f"{name} = {ast.unparse(first)}", name
    if len("".join(texts)) > _MOST:
        return None
    return Extreme(write_side(texts[0], "" if _is_zero(second) else texts[1], larger), above)


def _list_operands(call: ast.Call) -> list[ast.expr]:
    """The arguments; of `max(x.shape[-2:])` and `max(x.shape[2:])`, of an image, the two sizes."""
    if len(call.args) != 1:
        return call.args
    match call.args[0]:
        case (
            ast.Subscript(value=held, slice=ast.Slice(lower=lower, upper=None, step=None)) as given
        ):
            start = ast.unparse(lower) if lower is not None else "0"
            if is_shape(given) and re.fullmatch(r"-2|\d", start):
                places = [int(start), int(start) + 1]
                return [ast.Subscript(held, ast.Constant(n), ast.Load()) for n in places]
    return call.args


def _write_of_three(
    call: ast.Call, given: list[ast.expr], larger: bool, name: str
) -> Extreme | None:
    """Of `n = max(a, b, c)` one after the other."""
    texts = [_in_brackets(each) for each in given]
    if not name or call.keywords or not all(map(is_pure, given)):
        return None
    if any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(given[2])):
        return None
    above = f"{name} = {write_side(texts[0], texts[1], larger)}"
    return Extreme(write_side(name, texts[2], larger), above)


def write_side(first: str, second: str, larger: bool) -> str:
    """The larger or less of two whole numbers, of which "" as the second is 0, for |a - b| below 2**29.

    The quotient is 1 or 0, and never one of a negative number, which ONNX rounds towards zero. What
    is added is odd: of `(d + 2**30) // 2**30` torch.export makes `d // 2**30 + 1`.
    `torch.export.save` knows each of these operators, and neither `max` nor `abs`; what is divided
    fits into 32 bits.
    """
    above = f"{first} - {second}" if second else first
    below = f"({second} - {first})" if second else f"-{first}"
    given = (f"({above})" if second else above) if larger else below
    choice = f"((2 * {given} + 2**30 - 1) // 2**30)"
    return f"{second} + ({above}) * {choice}" if second else f"{first} * {choice}"


def _name_of_whole(call: ast.Call, statement: ast.AST | None, function: ast.AST | None) -> str:
    """`n` of `n = max(...)`; for `return max(...)` one that its function has no other use for."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is call:
            return name
        case ast.Return(value=value) if value is call and function is not None:
            used = {each.id for each in ast.walk(function) if isinstance(each, ast.Name)}
            used |= {each.arg for each in ast.walk(function) if isinstance(each, ast.arg)}
            return next((name for name in _OWN_NAMES if name not in used), "")
    return ""


def _is_zero(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 0


def _in_brackets(node: ast.expr) -> str:
    text = ast.unparse(node)
    plain = isinstance(node, (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.Constant))
    return text if plain else f"({text})"


def is_pure(node: ast.expr) -> bool:
    """Whether an expression only reads and reckons, so that it may be worked out twice."""
    for each in ast.walk(node):
        if isinstance(each, ast.Call):
            func = each.func
            name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
            if name not in _PURE:
                return False
        elif isinstance(each, (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom, ast.Lambda)):
            return False
    return True


def write_stack(call: ast.Call, tensor: str, stack: str) -> str | None:
    """`torch.stack((torch.tensor(h), torch.tensor(w)))` for `torch.tensor([h, w])`, of whole numbers.

    `torch.stack([torch.tensor(n) for n in x.shape])` for `torch.tensor(x.shape)`. None of others.
    """
    if len(call.args) != 1 or any(each.arg is None for each in call.keywords):
        return None
    rest = "".join(f", {each.arg}={ast.unparse(each.value)}" for each in call.keywords)
    given = call.args[0]
    if isinstance(given, (ast.List, ast.Tuple)):
        if not given.elts or any(isinstance(each, ast.Starred) for each in given.elts):
            return None
        made = [f"{tensor}({ast.unparse(each)}{rest})" for each in given.elts]
        return f"{stack}([{', '.join(made)}])"
    name = next(n for n in ("n", "size", "each") if n not in ast.unparse(call))
    whole = f"{tensor}({name}{rest}) for {name} in {ast.unparse(given)}"
    return f"{stack}([{whole}])" if is_shape(given) else None


def is_shape(node: ast.AST) -> bool:
    """`x.shape`, `x.size()`, and a slice of them."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        node = node.value
    match node:
        case ast.Attribute(attr="shape", value=ast.Name()):
            return True
        case ast.Call(func=ast.Attribute(attr="size", value=ast.Name()), args=[], keywords=[]):
            return True
    return False
