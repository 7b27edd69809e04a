"""What has methods that tensors have, and is none: objects of a class of the file, or of one that is annotated."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from lintorch.evaluator.code_files import CodeFile
from lintorch.evaluator.kept_beside import keep_beside
from lintorch.evaluator.signatures.find_signatures import is_known

_OF_TENSORS = re.compile(r"Tensor|\bAny\b|\bobject\b")
ASKING = frozenset(
    {"isinstance", "hasattr", "type", "callable", "getattr", "is_tensor", "issubclass"}
)
"""Functions that ask for the class of what they are given."""
ATTRIBUTES = frozenset(
    {
        "data", "device", "dtype", "grad", "grad_fn", "is_cuda", "is_leaf", "itemsize", "mT", "ndim",
        "requires_grad", "shape", "T", "H", "mH", "is_sparse", "names", "nbytes", "real", "imag",
        "layout", "is_meta", "is_nested", "is_quantized", "is_mps", "is_xpu", "is_cpu", "output_nr",
    }
)  # fmt: skip
"""What tensors have beside methods."""
MANY = 2
"""Attributes of another kind that one is believed by: a single one may be a slip of the pen."""


@keep_beside
def list_own_methods(file: CodeFile) -> frozenset[str]:
    """The names of methods that classes of a file define."""
    classes = (each for each in ast.walk(file.tree) if isinstance(each, ast.ClassDef))
    methods = (each for kind in classes for each in kind.body)
    return frozenset(each.name for each in methods if isinstance(each, ast.FunctionDef))


def is_of_other_kind(function: ast.AST | None, name: str) -> bool:
    """Whether a parameter is annotated as something that is no tensor."""
    if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    spec = function.args
    said = (
        e.annotation for e in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs) if e.arg == name
    )
    return any(each is not None and not _OF_TENSORS.search(ast.unparse(each)) for each in said)


@keep_beside
def list_others(function: ast.AST) -> frozenset[str]:
    """Names of a function that are no tensors: several attributes are read that none has, or their keys are gone over.

    Names whose class is asked are left out.
    """
    inner = [*ast.walk(function)]
    asked = {
        given.id
        for each in inner
        if isinstance(each, ast.Call) and getattr(each.func, "id", "") in ASKING
        for given in each.args
        if isinstance(given, ast.Name)
    }
    read: dict[str, set[str]] = {}
    for each in inner:
        match each:
            case ast.Attribute(value=ast.Name(id=name), attr=attribute) if is_foreign(attribute):
                read.setdefault(name, set()).add(attribute)
    strange = {name for name, attributes in read.items() if len(attributes) >= MANY}
    return frozenset((strange | set(_list_keyed(inner))) - asked)


def is_foreign(attribute: str) -> bool:
    """Whether no tensor has an attribute or a method of this name."""
    return attribute not in ATTRIBUTES and not is_known(f"torch.Tensor.{attribute}")


def _list_keyed(inner: list[ast.AST]) -> Iterator[str]:
    """`x` of `{key: x[key] for key in x}`: rows of a tensor are no places in it."""
    for each in inner:
        over = each.iter if isinstance(each, (ast.For, ast.comprehension)) else None
        target = each.target if isinstance(each, (ast.For, ast.comprehension)) else None
        if isinstance(over, ast.Name) and isinstance(target, ast.Name):
            items = (e for e in inner if isinstance(e, ast.Subscript))
            if any(_is_item(e, over.id, target.id) for e in items):
                yield over.id


def _is_item(node: ast.Subscript, held: str, key: str) -> bool:
    match node:
        case ast.Subscript(value=ast.Name(id=value), slice=ast.Name(id=index)):
            return (value, index) == (held, key)
    return False
