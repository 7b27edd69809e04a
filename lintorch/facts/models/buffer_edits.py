"""What forward makes of constants, kept by the module as a buffer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import libcst as cst

from lintorch.core.finding import Edit


class EditsFile(Protocol):
    """What knows the nodes of a file, and puts edits into it."""

    def code(self, node: cst.CSTNode) -> str:
        """A node as it is written."""

    def enclosing(self, node: cst.CSTNode, *kinds: type[cst.FunctionDef]) -> cst.FunctionDef | None:
        """The nearest node around another that is of a class."""

    def parent(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """The node around another."""

    def below(self, statement: cst.BaseSmallStatement, content: str) -> Edit:
        """A line below a statement."""

    def replace(self, node: cst.CSTNode, content: str) -> Edit:
        """Other text in the place of a node."""


@dataclass(frozen=True)
class MadeAnew:
    """A call in a method of a class, the class' constructor, and how both call the object."""

    call: cst.Call
    owner: cst.ClassDef
    constructor: cst.FunctionDef
    here: str
    there: str


def find_made(call: cst.Call, file: EditsFile) -> MadeAnew | None:
    """Where a call stands in a method of a class whose constructor ends in a plain line."""
    method = file.enclosing(call, cst.FunctionDef)
    block = file.parent(method) if method is not None else None
    owner = file.parent(block) if isinstance(block, cst.IndentedBlock) else None
    if method is None or not isinstance(owner, cst.ClassDef) or method.decorators:
        return None
    methods = [each for each in owner.body.body if isinstance(each, cst.FunctionDef)]
    made = next((each for each in methods if each.name.value == "__init__"), None)
    if made is None or made is method or _list_returns(made) or _find_last(made) is None:
        return None
    here, there = (_name_first(each) for each in (method, made))
    return MadeAnew(call, owner, made, here, there) if here and there else None


def keep_as_buffer(
    made: MadeAnew, args: Sequence[cst.Arg], name: str, file: EditsFile
) -> tuple[Edit, ...] | None:
    """The edits after which the constructor registers what the call gives, and the method reads it."""
    last, call = _find_last(made.constructor), made.call
    whole = file.code(made.owner)
    if (
        last is None
        or f"{made.here}.{name}" in whole
        or f'"{name}"' in whole
        or "\n" in file.code(call)
    ):
        return None
    given = ", ".join(file.code(arg).strip().rstrip(",") for arg in args)
    value = f"{file.code(call.func)}({given})"
    text = f'{made.there}.register_buffer("{name}", {value}, persistent=False)'
    return (file.replace(call, f"{made.here}.{name}"), file.below(last, text))


def _name_first(function: cst.FunctionDef) -> str:
    params = function.params.params
    return params[0].name.value if params else ""


def _find_last(function: cst.FunctionDef) -> cst.BaseSmallStatement | None:
    """The last statement, where it is a plain line of its own."""
    lines = function.body.body if isinstance(function.body, cst.IndentedBlock) else ()
    last = lines[-1] if lines else None
    return last.body[-1] if isinstance(last, cst.SimpleStatementLine) else None


def _list_returns(function: cst.FunctionDef) -> bool:
    """Whether a constructor may end before its last line."""
    finder = _FindsReturn()
    function.visit(finder)
    return finder.found


class _FindsReturn(cst.CSTVisitor):
    def __init__(self) -> None:
        super().__init__()
        self.found = False

    def visit_Return(self, node: cst.Return) -> None:
        """Also of functions inside, which is careful enough."""
        self.found = True
