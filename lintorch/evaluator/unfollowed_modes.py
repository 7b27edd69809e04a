"""Layers that depend on the mode in models whose constructor was not followed, by what it calls in any case."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from lintorch.evaluator.kept_beside import keep_beside
from lintorch.evaluator.machine import Machine
from lintorch.evaluator.names import read_global
from lintorch.evaluator.objects import is_module_class
from lintorch.evaluator.values import UNKNOWN, Class, External, Value

MODAL = re.compile(
    r"^torch\.nn\.((Sync|Lazy)?BatchNorm\w*|(Feature)?(Alpha)?Dropout\w*|RReLU"
    r"|Transformer(Encoder|Decoder)Layer|Transformer)$"
)
_MOST = 60
"""Classes of the parts of one model that are looked into."""
_PERHAPS = ast.If | ast.IfExp | ast.BoolOp | ast.Lambda | ast.Try | ast.FunctionDef | ast.ClassDef


def list_unfollowed(machine: Machine, kind: Class) -> set[str]:
    """The names of those layers, of the parts that it surely makes too."""
    found: set[str] = set()
    waiting: list[Value] = [kind]
    seen: set[ast.ClassDef] = set()
    while waiting and len(seen) < _MOST:
        each = waiting.pop()
        if isinstance(each, External) and MODAL.match(each.path):
            found.add(each.path.rpartition(".")[2])
        elif isinstance(each, Class) and is_module_class(each) and each.node not in seen:
            seen.add(each.node)
            waiting.extend(e for e in each.ancestors if isinstance(e, Class))
            waiting.extend(_resolve(machine, each, call) for call in _list_calls(each.node))
    return found


@keep_beside
def _list_calls(node: ast.ClassDef) -> tuple[ast.expr, ...]:
    """What the constructor of a class calls, whatever it is given; no layer that may drop nothing."""
    inits = (e for e in node.body if isinstance(e, ast.FunctionDef) and e.name == "__init__")
    return tuple(call.func for init in inits for each in init.body for call in _list_sure(each))


def _list_sure(node: ast.AST) -> Iterator[ast.Call]:
    if isinstance(node, _PERHAPS):
        return
    if isinstance(node, ast.Call) and not _may_be_idle(node):
        yield node
    for each in ast.iter_child_nodes(node):
        yield from _list_sure(each)


def _may_be_idle(call: ast.Call) -> bool:
    """Whether it is given a share to drop that may be 0."""
    name = ast.unparse(call.func).rpartition(".")[2]
    shares = [each.value for each in call.keywords if each.arg in ("p", "dropout", None)]
    if "Dropout" in name:
        shares += call.args[:1]
    return any(not isinstance(each, ast.Constant) or not each.value for each in shares)


def _resolve(machine: Machine, kind: Class, func: ast.expr) -> Value:
    """What is called by its name, in the file of a class."""
    if isinstance(func, ast.Name):
        return read_global(machine, kind.file, func.id)
    if isinstance(func, ast.Attribute):
        held = _resolve(machine, kind, func.value)
        return External(f"{held.path}.{func.attr}") if isinstance(held, External) else UNKNOWN
    return UNKNOWN
