"""Spells torch by other imports: under other names, from other modules, by star."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from dataclasses import dataclass

import libcst as cst
import libcst.matchers as m

from rewriting.names import (
    list_all_parameters,
    list_assigned,
    list_definitions,
    list_imports,
    list_names,
    read_import,
    resolve,
)
from rewriting.program import Program
from rewriting.statements import parse_statements

MODULES = frozenset({
    "torch", "torch.amp", "torch.autograd", "torch.backends", "torch.backends.cuda",
    "torch.backends.cudnn", "torch.cuda", "torch.cuda.amp", "torch.distributed",
    "torch.distributions", "torch.export", "torch.fft", "torch.hub", "torch.jit",
    "torch.linalg", "torch.nn", "torch.nn.functional", "torch.nn.init", "torch.nn.parallel",
    "torch.nn.utils", "torch.nn.utils.rnn", "torch.onnx", "torch.optim",
    "torch.optim.lr_scheduler", "torch.special", "torch.utils", "torch.utils.checkpoint",
    "torch.utils.data",
})  # fmt: skip
"""The modules of torch that examples use."""
_HIDDEN_BY_TORCH = frozenset({
    "abs", "all", "any", "bool", "compile", "complex", "float", "int", "max", "min", "pow",
    "range", "round", "sum",
})  # fmt: skip
"""Builtins that `from torch import *` replaces."""


@dataclass(frozen=True)
class Spelling:
    """The import that a full name asks for, and how it is spelled then."""

    statement: str
    text: str


Spell = Callable[[str, frozenset[str]], Spelling]
"""From a full name, and the names that are taken, to its spelling."""


def alias_torch(program: Program) -> Program:
    """`import torch as th`, and all of torch reached by it."""
    return _respell(program, lambda name, _: Spelling("import torch as th", f"th{name[5:]}"))


def alias_layers(program: Program) -> Program:
    """`from torch import nn as layers`, and others alike."""
    return _respell(program, _spell_by_alias)


def import_members(program: Program) -> Program:
    """`from torch.nn import Linear`, under another name where the name is taken."""
    return _respell(program, _spell_member)


def import_star(program: Program) -> Program:
    """`from torch.nn import *`; not from torch where that hides a builtin that is used."""
    used = set(list_names(program.module)) & _HIDDEN_BY_TORCH

    def spell(name: str, taken: frozenset[str]) -> Spelling:
        module, rest = _split(name)
        hides = (used and module == "torch") or rest.partition(".")[0] in taken
        if not rest or hides:
            return _spell_member(name, taken)
        return Spelling(f"from {module} import *", rest)

    return _respell(program, spell)


def import_modules(program: Program) -> Program:
    """`import torch.nn.functional`, and full names everywhere."""
    return _respell(program, lambda name, _: Spelling(f"import {_split(name)[0]}", name))


def _split(name: str) -> tuple[str, str]:
    """The longest module a full name begins with, and the rest."""
    module = name
    while module not in MODULES:
        module = module.rpartition(".")[0]
    return module, name[len(module) + 1 :]


_ALIASES = {
    "torch": "pt",
    "torch.nn": "layers",
    "torch.nn.functional": "ops",
    "torch.optim": "solvers",
    "torch.utils.data": "feeding",
}


def _spell_by_alias(name: str, taken: frozenset[str]) -> Spelling:
    module, rest = _split(name)
    while module not in _ALIASES:
        module, _, last = module.rpartition(".")
        rest = f"{last}.{rest}".rstrip(".")
    parent, _, last = module.rpartition(".")
    alias = _ALIASES[module]
    statement = f"from {parent} import {last} as {alias}" if parent else f"import torch as {alias}"
    return Spelling(statement, f"{alias}.{rest}".rstrip("."))


def _spell_member(name: str, taken: frozenset[str]) -> Spelling:
    module, rest = _split(name)
    member, dot, more = rest.partition(".")
    if not member:
        return _spell_by_alias(name, taken)
    alias = f"torch_{member}" if member in taken else member
    named = f"{member} as {alias}" if alias != member else member
    return Spelling(f"from {module} import {named}", f"{alias}{dot}{more}")


def _respell(program: Program, spell: Spell) -> Program:
    module = program.module
    imports = {k: v for k, v in list_imports(module).items() if v.split(".")[0] == "torch"}
    bound = set(list_assigned(module)) & imports.keys()
    if not imports or bound:
        return program
    respeller = _Respeller(imports, spell, _list_taken(module))
    changed = module.visit(respeller)
    added = parse_statements("".join(f"{line}\n" for line in dict.fromkeys(respeller.statements)))
    body = [each for each in changed.body if not m.matches(each, m.SimpleStatementLine([]))]
    return program.change_to(changed.with_changes(body=[*added, *body]))


def _list_taken(module: cst.Module) -> frozenset[str]:
    own = {*list_all_parameters(module), *list_assigned(module), *list_definitions(module)}
    return frozenset(own | set(dir(builtins)))


class _Respeller(cst.CSTTransformer):
    """Takes out imports of torch, and spells what they bound anew."""

    def __init__(self, imports: dict[str, str], spell: Spell, taken: frozenset[str]) -> None:
        self._imports = imports
        self._spell = spell
        self._taken = taken
        self.statements: list[str] = []

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.RemovalSentinel:
        part = original_node.body[0]
        if isinstance(part, cst.Import | cst.ImportFrom):
            bound = [name for name, _ in read_import(part)]
            if bound and all(name in self._imports for name in bound):
                return cst.RemoveFromParent()
        return updated_node

    def visit_Attribute(self, node: cst.Attribute) -> bool:
        return not resolve(node, self._imports)

    def leave_Attribute(
        self, original_node: cst.Attribute, updated_node: cst.Attribute
    ) -> cst.BaseExpression:
        spelled = self._respell(original_node)
        if spelled is not None:
            return spelled
        return updated_node.with_changes(attr=original_node.attr)

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        return self._respell(original_node) or updated_node

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        return updated_node.with_changes(keyword=original_node.keyword)

    def leave_Param(self, original_node: cst.Param, updated_node: cst.Param) -> cst.Param:
        return updated_node.with_changes(name=original_node.name)

    def visit_ImportFrom(self, node: cst.ImportFrom) -> bool:
        return False

    def visit_Import(self, node: cst.Import) -> bool:
        return False

    def _respell(self, node: cst.BaseExpression) -> cst.BaseExpression | None:
        name = resolve(node, self._imports)
        if not name:
            return None
        spelled = self._spell(name, self._taken)
        self.statements.append(spelled.statement)
        return cst.parse_expression(spelled.text)
