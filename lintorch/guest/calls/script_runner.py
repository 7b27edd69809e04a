"""Works out values in a script: of its statements only those run that the values depend on, one by one.

What a statement that raises would have set is unknown, and so is what depends on it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from torch import nn

from lintorch.guest.calls.base_attributes import (
    find_constructor,
    find_handed_on,
    list_base_constructors,
    pick_statements,
)
from lintorch.guest.calls.code_regions import (
    PlacedCall,
    Region,
    find_argument,
    list_calls,
    list_parameters,
)
from lintorch.guest.calls.code_text import CodeText
from lintorch.guest.calls.needed_names import list_loads, list_stores, slice_statements
from lintorch.guest.calls.run_statement import StatementRunner
from lintorch.guest.calls.script_surroundings import start_with
from lintorch.guest.calls.unknown_value import UNKNOWN
from lintorch.guest.construct.found_settings import CONFIG_NAME, find_shipped_settings

_DEEPEST = 5
"""Functions whose parameters are looked for in the calls of them, one inside of the other."""
_MOST_CALLERS = 3
"""Calls of one function that are looked at for what it is given."""


FindCallers = Callable[[str, Path], Iterable[tuple["ScriptRunner", PlacedCall]]]
"""Finds calls of a function in all files but one, each with the runner of its file."""


class ScriptRunner:
    """The values that names of one file have; `scope` holds those known from the start."""

    def __init__(
        self,
        text: CodeText,
        scope: Mapping[str, Any],
        statements: StatementRunner,
        elsewhere: FindCallers,
        command: Sequence[str],
    ) -> None:
        self._text = text
        self._first = dict(scope)
        self._scope = dict(scope)
        self._statements = statements
        self._elsewhere = elsewhere
        self._command = command
        self._ran: set[tuple[int, ...]] = set()
        self._selves: dict[int, Any] = {}
        self._set_elsewhere = frozenset(
            name for n in ast.walk(text.tree) if isinstance(n, ast.Global) for name in n.names
        )
        self._calls = tuple(list_calls(text.tree))

    def start_anew(self) -> None:
        """Forget what names have come to mean so far."""
        self._scope = dict(self._first)
        self._ran.clear()
        self._selves.clear()

    def find_value(self, node: ast.expr, region: Region, depth: int = 0) -> Any:
        """What an expression of the file evaluates to; UNKNOWN where that cannot be worked out."""
        with start_with(self._text.path, self._command):
            scope = self._find_names(set(list_loads(node)), region, node.lineno, depth)
            return self._statements.evaluate(node, scope)

    def _find_names(self, needed: set[str], region: Region, row: int, depth: int) -> dict[str, Any]:
        """The names that are needed at a row, as they are there."""
        function = region.function
        if function is None:
            self._run_module(needed, row)
            return self._scope
        chosen = slice_statements(function.body, needed, row)
        parameters = list_parameters(function)
        local = {
            name: self._find_argument(name, default, region, depth)
            for name, default in parameters.items()
            if name in needed and name not in ("self", "cls")
        }
        outer = needed - local.keys()
        around = self._find_names(outer, region.outer, function.lineno, depth)
        scope = {**around, **local}
        if region.owner is not None and parameters:
            first = next(iter(parameters))
            scope[first] = self._find_self(region, needed, row, depth)
        for statement in chosen:
            self._statements.run(statement, scope)
        return scope

    def _run_module(self, needed: set[str], row: int) -> None:
        """Run the statements at the top level that are needed, each once."""
        needed -= self._first.keys()
        for node in slice_statements(self._text.tree.body, needed, row):
            key = tuple(n.lineno for n in ast.walk(node) if isinstance(n, ast.stmt))
            known = (stores := list_stores(node)) and stores <= self._first.keys()
            if key not in self._ran and not known:
                self._ran.add(key)
                self._statements.run(node, self._scope)
        for name in self._set_elsewhere & self._scope.keys():
            if self._scope[name] is None:
                self._scope[name] = UNKNOWN

    def _find_argument(
        self, name: str, default: ast.expr | None, region: Region, depth: int
    ) -> Any:
        """What a function is given for a parameter by those who call it, else its default."""
        function = region.function
        assert function is not None
        owner = region.owner
        called = owner.name if owner and function.name == "__init__" else function.name
        callers: list[tuple[ScriptRunner, PlacedCall]] = []
        if depth < _DEEPEST:
            callers = [(self, placed) for placed in self._list_callers(called, function)]
            callers = callers or list(self._elsewhere(called, self._text.path))
        for runner, placed in callers:
            node = find_argument(placed.node, function, name)
            if node is None:
                continue
            value = runner.find_value(node, placed.region, depth + 1)
            if value is not UNKNOWN:
                return value
        if default is not None:
            return self.find_value(default, region.outer, depth + 1)
        return UNKNOWN if depth or owner else self._find_settings(name, function, region.outer)

    def _find_settings(self, name: str, function: ast.FunctionDef, region: Region) -> Any:
        """The settings that a function takes by that name, of what the repository ships alone."""
        if not CONFIG_NAME.fullmatch(name.lower()):
            return UNKNOWN
        last = (function.end_lineno or function.lineno) + 1
        made = self._find_names({function.name}, region, last, 0).get(function.name)
        return find_shipped_settings(made, name, UNKNOWN) if callable(made) else UNKNOWN

    def _list_callers(self, name: str, function: ast.FunctionDef) -> list[PlacedCall]:
        found = [
            placed
            for placed in self._calls
            if name in (getattr(placed.node.func, "id", ""), getattr(placed.node.func, "attr", ""))
            and function not in placed.region.around
        ]
        return found[:_MOST_CALLERS]

    def _find_self(self, region: Region, needed: set[str], row: int, depth: int) -> Any:
        """An object of the class, with those attributes that are needed."""
        owner = region.owner
        assert owner is not None
        made = self._selves.get(id(owner))
        if made is None:
            made = self._selves[id(owner)] = self._make_self(owner, region.outer)
        wanted = list_own_reads(owner, {name for name in needed if name.startswith("self.")})
        missing = {name for name in wanted if not _has_attribute(made, name.partition(".")[2])}
        if missing and depth < _DEEPEST:
            self._set_attributes(made, missing, owner, region, depth)
        return made

    def _make_self(self, owner: ast.ClassDef, region: Region) -> Any:
        kind = self._find_names({owner.name}, Region(), owner.lineno + 1, 0).get(owner.name)
        if not isinstance(kind, type):
            kind = type(owner.name, (), {})
        try:
            made: Any = object.__new__(kind)
            if isinstance(made, nn.Module):
                nn.Module.__init__(made)
        except Exception:  # whatever user code raises
            made = type(owner.name, (), {})()
        return made

    def _set_attributes(
        self, made: Any, missing: set[str], owner: ast.ClassDef, region: Region, depth: int
    ) -> None:
        """Run what methods set the attributes with, `__init__` first."""
        methods = [node for node in owner.body if isinstance(node, ast.FunctionDef)]
        for method in sorted(methods, key=lambda node: node.name != "__init__"):
            if method is region.function or not missing & list_stores_within(method):
                continue
            inside = Region((*region.outer.around, method))
            last = (method.end_lineno or method.lineno) + 1
            self._find_names(set(missing), inside, last, depth + 1)
        still = {name for name in missing if not _has_attribute(made, name.partition(".")[2])}
        if still and depth + 1 < _DEEPEST:
            self._set_from_base(made, still, owner, region, depth + 1)

    def _set_from_base(
        self, made: Any, missing: set[str], owner: ast.ClassDef, region: Region, depth: int
    ) -> None:
        """Run what the constructor of a base sets the attributes with."""
        own = find_constructor(owner)
        for base, function in list_base_constructors(type(made), missing):
            chosen, needed = pick_statements(function, missing)
            scope = {**base.__globals__, next(iter(list_parameters(function))): made}
            for name, default in list_parameters(function).items():
                if name in needed and name not in scope:
                    node = find_handed_on(owner, function, name)
                    if own is None:
                        inside = Region((*region.outer.around, function))
                        scope[name] = self._find_argument(name, default, inside, depth)
                    elif node is not None:
                        inside = Region((*region.outer.around, own))
                        scope[name] = self.find_value(node, inside, depth)
                    elif default is not None:
                        scope[name] = self._statements.evaluate(default, scope)
            for statement in chosen:
                self._statements.run(statement, scope)
            return


def list_own_reads(owner: ast.ClassDef, names: set[str]) -> set[str]:
    """These attributes of self, and those that the methods among them read."""
    methods = {
        f"self.{node.name}": node for node in owner.body if isinstance(node, ast.FunctionDef)
    }
    found, waiting = set(names), list(names & methods.keys())
    while waiting:
        read = {name for name in list_loads(methods[waiting.pop()]) if name.startswith("self.")}
        waiting += [name for name in read - found if name in methods]
        found |= read
    return found


def list_stores_within(function: ast.FunctionDef) -> set[str]:
    """The names that the body of a function sets."""
    return set().union(*(list_stores(node) for node in function.body))


def _has_attribute(made: Any, name: str) -> bool:
    with suppress(Exception):  # whatever user code raises
        return hasattr(made, name)
    return False
