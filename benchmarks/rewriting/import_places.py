"""Imports elsewhere: in the functions that use them, and in another file."""

from __future__ import annotations

from typing import Any

import libcst as cst

from rewriting.names import list_imports, list_names, read_import
from rewriting.program import Program
from rewriting.statements import is_import, list_body, make_block, parse_statements


def import_in_functions(program: Program) -> Program:
    """Each function imports what it uses; what classes and the module use stays at the top."""
    module = program.module
    lines = _spell_imports(module)
    placer = _Placer(lines)
    changed = module.visit(placer)
    if not placer.placed:
        return program
    rest = [each for each in changed.body if not is_import(each)]
    needed = set(list_names(cst.Module(rest).visit(_Emptied())))
    top = parse_statements("".join(line for name, line in lines.items() if name in needed))
    kept = [each for each in changed.body if is_import(each) and not _binds(each, lines)]
    return program.change_to(changed.with_changes(body=[*kept, *top, *rest]))


def import_from_file(program: Program) -> Program:
    """Another file imports torch and the rest, and this one takes them from there."""
    module = program.module
    names = list(list_imports(module))
    if not names:
        return program
    imports = "".join(module.code_for_node(each) for each in module.body if is_import(each))
    line = parse_statements(f"from common import {', '.join(names)}\n")
    rest = [each for each in module.body if not is_import(each)]
    return program.change_to(module.with_changes(body=[*line, *rest]), {"common": imports})


def _spell_imports(module: cst.Module) -> dict[str, str]:
    """By name: a line that imports it alone."""
    found = {}
    for name, full in list_imports(module).items():
        parent, _, last = full.rpartition(".")
        alias = f" as {name}" if name != last else ""
        found[name] = (
            f"from {parent} import {last}{alias}\n" if parent else f"import {full}{alias}\n"
        )
    return found


def _binds(node: Any, lines: dict[str, str]) -> bool:
    return any(name in lines for part in node.body for name, _ in read_import(part))


class _Placer(cst.CSTTransformer):
    """Puts imports into the outermost functions."""

    def __init__(self, lines: dict[str, str]) -> None:
        self._lines = lines
        self.placed = False

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        return False

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        used = set(list_names(original_node.body))
        text = "".join(line for name, line in self._lines.items() if name in used)
        self.placed = self.placed or bool(text)
        return updated_node.with_changes(
            body=make_block([*parse_statements(text), *list_body(updated_node)])
        )


class _Emptied(cst.CSTTransformer):
    """Leaves nothing of what functions do."""

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        return updated_node.with_changes(body=make_block([]))
