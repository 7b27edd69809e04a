"""Which mode a model is in, training or eval, at each place of a function or script that handles it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from lintorch.facts.modes.modal_classes import Contents
from lintorch.facts.modes.model_handling import Environment, Mode, Walk
from lintorch.facts.project.files import home
from lintorch.syntax.literals import UNKNOWN, literal

if TYPE_CHECKING:
    from lintorch.source import Source

__all__ = ["Mode", "Modes"]
_Scope = cst.FunctionDef | cst.Module


class Modes:
    """The modes of the models in every scope of a file, each scope followed when first asked about."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._done: dict[_Scope, Walk] = {}
        self._contents = Contents(source.path, source.text, source.consulted)

    def mode(self, expression: cst.CSTNode) -> Mode | None:
        """The mode of the model an expression stands for; None where that is nothing known."""
        scope: _Scope | None = self._source.enclosing(expression, cst.FunctionDef)
        return self.walked(scope or self._source.module).known.get(expression)

    def walked(self, scope: _Scope) -> Walk:
        """The walk over a scope; of one that is being walked, what is known so far."""
        if scope not in self._done:
            walk = self._done[scope] = Walk(
                self._source, self._contents, lambda f: self.walked(f).returned
            )
            if isinstance(scope, cst.FunctionDef):
                walk.now |= self._given(scope)
            walk.block(scope.body if isinstance(scope, cst.FunctionDef) else scope)
        return self._done[scope]

    def _given(self, function: cst.FunctionDef) -> Environment:
        """The models that a function of the file is called with, where all calls agree."""
        name = f"{home(self._source.path).module}.{function.name.value}"
        if not isinstance(self._source.parent(function), cst.Module):
            return {}
        calls = [c for c in self._source.nodes(cst.Call) if self._source.name(c.func) == name]
        names = [p.name.value for p in function.params.params]
        tables = [self._arguments(call, names) for call in calls]
        if not tables:
            return {}
        common = set(tables[0]).intersection(*tables[1:])
        return {n: tables[0][n] for n in common if len({t[n].training for t in tables}) == 1}

    def _arguments(self, call: cst.Call, names: list[str]) -> Environment:
        given = self._source.arguments(call, *names).by_name
        told = {name: arg.value for name, arg in given.items() if literal(arg.value) is UNKNOWN}
        modes = {name: self.mode(value) for name, value in told.items()}
        return {name: mode for name, mode in modes.items() if mode is not None}
