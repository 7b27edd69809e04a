"""Files as the evaluator reads them: Python's own tree, and which statements bind which name."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from lintorch.syntax.python_ast import parse_or_empty

_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


@dataclass(frozen=True, eq=False)
class CodeFile:
    """One file. `name` is its dotted name, `package` that of the folder which relative imports start from."""

    path: str
    text: str
    name: str
    package: str
    checked: bool = True
    """Whether it is one of those that findings are about, or only entered."""

    @cached_property
    def tree(self) -> ast.Module:
        """Without a statement where it does not parse."""
        return parse_or_empty(self.text)

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The rows of the text."""
        return tuple(self.text.split("\n"))

    @cached_property
    def bindings(self) -> dict[str, list[ast.stmt]]:
        """By name: the statements at the top of the file that bind it, or change what it holds, in order."""
        found: dict[str, list[ast.stmt]] = {}
        for statement in self.tree.body:
            for name in dict.fromkeys(_bound_names(statement)):
                found.setdefault(name, []).append(statement)
            for name in _registering_names(statement):
                if isinstance(found.get(name, [None])[0], (ast.Assign, ast.AnnAssign)):
                    found[name].append(statement)
        return found

    @cached_property
    def star_imports(self) -> tuple[ast.ImportFrom, ...]:
        """`from x import *`, at the top of the file."""
        return tuple(
            each
            for statement in self.tree.body
            for each in _inner_statements(statement)
            if isinstance(each, ast.ImportFrom) and each.names[0].name == "*"
        )

    def may_offer(self, name: str) -> bool:
        """Whether the file binds a name, or imports all of another; parsed only where its text may."""
        if name not in self.text and "import *" not in self.text:
            return False
        return name in self.bindings or bool(self.star_imports)


class Watch(Protocol):
    """Is told by a machine what it does, while it does it."""

    def begin_statement(self, machine: Any, node: ast.stmt) -> None:
        """A statement is about to be carried out."""

    def note_value(self, machine: Any, node: ast.expr, value: Any) -> None:
        """An expression was evaluated, or a name or attribute assigned."""

    def note_parameters(self, machine: Any, node: ast.AST) -> None:
        """A function is entered, its parameters bound."""


@dataclass(frozen=True)
class Library:
    """Finds files by the dotted name of a module, for the file that imports it; None where there is none."""

    find: Callable[[str, CodeFile], CodeFile | None]
    canonical: Callable[[str], str] = str
    """The name of torch that a longer or older one stands for."""
    is_aside: Callable[[str], bool] = lambda name: False
    """Whether a function or class is named as no part of what is deployed."""
    image_axes: Callable[[Sequence[str]], Collection[int]] = lambda names: ()
    """Which of the axes that a size is unpacked to are height and width, told by these names."""
    mentions: Callable[[str, CodeFile], Sequence[CodeFile]] = lambda name, file: ()
    """Other files of a file's project that call a class by its name, the likeliest first."""
    reads: Callable[[str, CodeFile], Sequence[CodeFile]] = lambda name, file: ()
    """The files of the project that read an attribute, by its name: () where these are many."""
    watch: Watch | None = None
    """What notes the values of some rows, where somebody asked for them."""


def _inner_statements(statement: ast.stmt) -> Iterator[ast.stmt]:
    """The statement, and those that run with it: no bodies of functions and classes."""
    yield statement
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return
    for block in _BLOCKS:
        for each in getattr(statement, block, ()):
            if isinstance(each, ast.stmt):
                yield from _inner_statements(each)
            else:
                for inner in each.body:
                    yield from _inner_statements(inner)


def narrow_statement(statement: ast.stmt, name: str) -> ast.stmt:
    """What a statement at the top of a file does to bind one name: other names are worked out when they are asked."""

    def keep(block: list[ast.stmt]) -> list[ast.stmt]:
        return [narrow_statement(each, name) for each in block if name in _bound_names(each)]

    rest: list[ast.stmt] = [ast.copy_location(ast.Pass(), statement)]
    made: ast.stmt
    if isinstance(statement, ast.If):
        made = ast.If(statement.test, keep(statement.body) or rest, keep(statement.orelse))
    elif isinstance(statement, ast.Try):
        handlers = [
            ast.copy_location(
                ast.ExceptHandler(each.type, each.name, keep(each.body) or rest), each
            )
            for each in statement.handlers
        ]
        blocks = keep(statement.body) or rest, handlers, keep(statement.orelse)
        made = ast.Try(*blocks, keep(statement.finalbody))
    else:
        return statement
    return ast.copy_location(made, statement)


def _bound_names(statement: ast.stmt) -> Iterator[str]:
    for each in _inner_statements(statement):
        if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield each.name
        elif isinstance(each, (ast.Import, ast.ImportFrom)):
            for alias in each.names:
                yield alias.asname or alias.name.partition(".")[0]
        elif isinstance(each, ast.Expr):
            yield from _changed_names(each.value)
        else:
            yield from _assigned_names(each)


def _registering_names(statement: ast.stmt) -> Iterator[str]:
    """`MODELS` of `@MODELS.register("net")`."""
    for decorator in getattr(statement, "decorator_list", ()):
        yield from _changed_names(decorator)


def _assigned_names(statement: ast.stmt) -> Iterator[str]:
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, (ast.AnnAssign, ast.AugAssign, ast.For, ast.AsyncFor)):
        targets = [statement.target]
    elif isinstance(statement, (ast.With, ast.AsyncWith)):
        targets = [item.optional_vars for item in statement.items if item.optional_vars]
    for target in targets:
        for node in ast.walk(target):
            if isinstance(node, ast.Name):
                yield node.id


def _changed_names(expression: ast.expr) -> Iterator[str]:
    """`settings.update(…)`, `names.append(…)`."""
    if isinstance(expression, ast.Call) and isinstance(expression.func, ast.Attribute):
        held = expression.func.value
        while isinstance(held, (ast.Attribute, ast.Subscript)):
            held = held.value
        if isinstance(held, ast.Name):
            yield held.id
