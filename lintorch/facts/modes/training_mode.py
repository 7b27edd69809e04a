"""Which mode a model is in, training or eval, at each place of a function or script that handles it."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from lintorch.facts.classes.classes import Classes
from lintorch.facts.modes.modal_classes import Contents
from lintorch.facts.modes.model_handling import Environment, Mode, Walk
from lintorch.facts.names.lookup import Lookup
from lintorch.facts.project.module_homes import Project
from lintorch.syntax.literals import UNKNOWN, arguments, literal
from lintorch.syntax.parsed_file import ParsedFile

__all__ = ["Mode", "Modes"]
_Scope = cst.FunctionDef | cst.Module


@dataclass(frozen=True)
class _Followed:
    """What is known of one scope; of one that is still being followed, what is known so far."""

    known: dict[cst.CSTNode, Mode]
    returned: list[Mode | None]


class Modes:
    """The modes of the models in every scope of a file, each scope followed when first asked about."""

    def __init__(self, file: ParsedFile, names: Lookup, classes: Classes, project: Project) -> None:
        self._file, self._names, self._classes = file, names, classes
        self._done: dict[_Scope, _Followed] = {}
        self._contents = Contents(file.path, file.text, project)

    def mode(self, expression: cst.CSTNode) -> Mode | None:
        """The mode of the model an expression stands for; None where that is nothing known."""
        scope: _Scope | None = self._file.enclosing(expression, cst.FunctionDef)
        return self._follow(scope or self._file.module).known.get(expression)

    def _follow(self, scope: _Scope) -> _Followed:
        if scope not in self._done:
            walk = Walk(
                self._file,
                self._names,
                self._classes,
                self._contents,
                lambda function: self._follow(function).returned,
            )
            self._done[scope] = _Followed(walk.known, walk.returned)
            if isinstance(scope, cst.FunctionDef):
                walk.now |= self._given(scope)
            walk.block(scope.body if isinstance(scope, cst.FunctionDef) else scope)
        return self._done[scope]

    def _given(self, function: cst.FunctionDef) -> Environment:
        """The models that a function of the file is called with, where all calls agree."""
        name = self._names.full_name(function)
        if not isinstance(self._file.parent(function), cst.Module):
            return {}
        calls = [c for c in self._file.nodes(cst.Call) if self._names.name(c.func) == name]
        names = [p.name.value for p in function.params.params]
        tables = [self._arguments(call, names) for call in calls]
        if not tables:
            return {}
        common = set(tables[0]).intersection(*tables[1:])
        return {n: tables[0][n] for n in common if len({t[n].training for t in tables}) == 1}

    def _arguments(self, call: cst.Call, names: list[str]) -> Environment:
        given = arguments(call, *names).by_name
        told = {name: arg.value for name, arg in given.items() if literal(arg.value) is UNKNOWN}
        modes = {name: self.mode(value) for name, value in told.items()}
        return {name: mode for name, mode in modes.items() if mode is not None}
