"""What is called has a name first: a bound method, a partial."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import libcst as cst

from rewriting.argument_forms import clear_commas
from rewriting.hoisting import Puller, hoist
from rewriting.names import list_imports, resolve
from rewriting.program import Program


def keep_bound_methods(program: Program) -> Program:
    """`method = x.view`, then `method(2, -1)`; layers (`self.pool`) alike."""
    imports = list_imports(program.module)
    return hoist(program, lambda name: _KeepMethod(name, imports), "method")


def keep_partials(program: Program) -> Program:
    """`call = partial(F.pad, value=0)`, then `call(x, sizes)`; without keywords the first of several is bound."""
    imports = list_imports(program.module)
    lines = ["from functools import partial"]
    return hoist(program, lambda name: _KeepPartial(name, imports), "call", lines)


class _KeepCallable(Puller):
    def __init__(self, name: Callable[[], str], imports: Mapping[str, str]) -> None:
        super().__init__(name)
        self._imports = imports


class _KeepMethod(_KeepCallable):
    def take(self, original: cst.CSTNode, node: cst.BaseExpression, whole: bool) -> Any:
        if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
            return node
        value = node.func.value
        if resolve(node.func, self._imports) or (isinstance(value, cst.Call) and _is_super(value)):
            return node
        return node.with_changes(func=self.keep(node.func))


class _KeepPartial(_KeepCallable):
    def take(self, original: cst.CSTNode, node: cst.BaseExpression, whole: bool) -> Any:
        if not isinstance(node, cst.Call) or any(arg.star for arg in node.args):
            return node
        name = resolve(node.func, self._imports)
        if not name.startswith("torch."):
            return node
        bound = [arg for arg in node.args if arg.keyword] or list(node.args[: len(node.args) > 1])
        if not bound:
            return node
        rest = [arg for arg in node.args if arg not in bound]
        made = cst.Call(cst.Name("partial"), [cst.Arg(node.func), *clear_commas(bound)])
        return node.with_changes(func=self.keep(made), args=clear_commas(rest))


def _is_super(node: cst.Call) -> bool:
    return isinstance(node.func, cst.Name) and node.func.value == "super"
