"""Expressions that do the same to each item of their tensors, told by how they are written."""

from __future__ import annotations

import ast

POINTWISE = frozenset(
    {
        "abs", "ceil", "clamp", "clip", "clone", "cos", "cosh", "detach", "erf", "exp", "expm1",
        "floor", "gelu", "hardtanh", "leaky_relu", "log", "log10", "log1p", "log2", "logit",
        "nan_to_num", "neg", "pow", "reciprocal", "relu", "relu6", "round", "rsqrt", "sigmoid",
        "sign", "silu", "sin", "sinh", "softplus", "sqrt", "square", "tan", "tanh", "trunc",
    }
)  # fmt: skip
"""Functions and methods of torch that keep the shape of their first argument."""
REDUCED = frozenset({"amax", "amin", "max", "mean", "min", "norm", "prod", "std", "sum", "var"})
"""Methods that give a single number where they are given nothing."""
HOMES = frozenset({"torch", "F", "nn.functional", "torch.nn.functional"})


def list_leaves(node: ast.expr, reduced: bool = False) -> frozenset[str] | None:
    """The tensors `x` and `x[i]` of which an expression is worked out item by item; None of others.

    With `reduced` a reduction to one number (`x.max()`) may be a part of it, which is no leaf.
    """
    match node:
        case ast.Name() | ast.Subscript(value=ast.Name(), slice=ast.Name()):
            return frozenset({ast.unparse(node)})
        case ast.Constant(value=bool()):
            return None  # inplace=True
        case ast.Constant(value=int() | float()):
            return frozenset()
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return list_leaves(inner, reduced)
        case ast.BinOp(left=left, right=right, op=operator) if not isinstance(
            operator, ast.MatMult
        ):
            both = list_leaves(left, reduced), list_leaves(right, reduced)
            return None if both[0] is None or both[1] is None else both[0] | both[1]
        case ast.Call(func=ast.Attribute(value=held, attr=name) as func, args=args, keywords=named):
            if reduced and name in REDUCED and not args and not named:
                return None if list_leaves(held, reduced) is None else frozenset()
            given = [*args, *(each.value for each in named)]
            if ast.unparse(func.value) in HOMES and args:
                held, given = args[0], given[1:]
            plain = name in POINTWISE and all(list_leaves(each) == frozenset() for each in given)
            return list_leaves(held, reduced) if plain else None
    return None


def list_asked(test: ast.expr) -> frozenset[str]:
    """The names whose methods or numbers a test asks for: `x` of `x.sum() > 0` and `torch.max(x) > 1`."""
    calls = [each for each in ast.walk(test) if isinstance(each, ast.Call)]
    held = [each.func.value for each in calls if isinstance(each.func, ast.Attribute)]
    given = [part for each in calls for part in (*each.args, *held) if isinstance(part, ast.Name)]
    inside = [n for part in held for n in ast.walk(part) if isinstance(n, ast.Name)]
    return frozenset(each.id for each in (*given, *inside))
