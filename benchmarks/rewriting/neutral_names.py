"""Names that say nothing: whatever is read from a name must not decide."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

import libcst as cst
import libcst.matchers as m

from rewriting.names import (
    list_all_parameters,
    list_assigned,
    list_definitions,
    list_imports,
)
from rewriting.program import Program
from rewriting.renaming import Renamer
from rewriting.statements import list_body, parse_statements

N = TypeVar("N", bound=cst.CSTNode)


def rename_locals(program: Program) -> Program:
    """`size = …` in a function is `v1 = …`; variables of the module that the proof does not use, too."""
    module = program.module
    taken = list_all_parameters(module) | set(list_imports(module)) | _list_declared(module)
    top = {name for each in module.body if _is_plain(each) for name in list_assigned(each)}
    taken |= top & program.names_of_proof
    for each in _find(module, cst.ClassDef):
        taken.update(list_assigned(*filter(_is_plain, list_body(each))))
    names = [name for name in list_assigned(module) if name not in taken and name != "_"]
    return _rename(program, names, "v")


def rename_parameters(program: Program) -> Program:
    """`def f(image)` is `def f(p1)`, unless the proof names `image` as keyword or in a text."""
    module = program.module
    kept = {"self", "cls", *list_imports(module), *list_definitions(module), *_list_passed(module)}
    kept |= _list_spoken(program.proof) | _list_spoken(program.text, keywords=False)
    names = [param.name.value for param in _find(module, cst.Param)]
    return _rename(program, (name for name in names if name not in kept), "p")


def rename_attributes(program: Program) -> Program:
    """`self.pool` is `self.a1`, unless the proof uses it or another object has such an attribute."""
    module = program.module
    stored = [
        target.target.attr.value
        for target in _find_stores(module)
        if isinstance(target.target, cst.Attribute)
    ]
    foreign = {
        node.attr.value
        for node in _find(module, cst.Attribute)
        if not m.matches(node.value, m.Name("self"))
    }
    kept = foreign | program.names_of_proof | {"training"}
    wanted = _number((name for name in stored if name not in kept), "a", program)
    return program.change_to(module.visit(Renamer({}, wanted)))


def rename_definitions(program: Program) -> Program:
    """`class Head` is `class Net1`, and what the proof uses is reached by `Head = Net1` at the end."""
    module = program.module
    classes = {n.name.value for n in module.body if isinstance(n, cst.ClassDef)}
    names = list_definitions(module)
    wanted = {
        **_number((n for n in names if n in classes), "Net", program),
        **_number((n for n in names if n not in classes), "work", program),
    }
    renamed = module.visit(Renamer(wanted))
    used = [name for name in names if name in program.names_of_proof]
    aliases = parse_statements("".join(f"{name} = {wanted[name]}\n" for name in used))
    return program.change_to(renamed.with_changes(body=[*renamed.body, *aliases]))


def rename_all(program: Program) -> Program:
    """All of them at once."""
    for rewrite in (rename_locals, rename_parameters, rename_attributes, rename_definitions):
        program = rewrite(program)
    return program


def _rename(program: Program, names: Iterable[str], letter: str) -> Program:
    module = program.module
    wanted = _number(names, letter, program)
    renamer = Renamer(wanted, keywords_of=frozenset(list_definitions(module)))
    return program.change_to(module.visit(renamer))


def _number(names: Iterable[str], letter: str, program: Program) -> dict[str, str]:
    words = set(re.findall(r"\w+", program.text)) | program.names_of_proof
    free = (f"{letter}{n}" for n in range(1, 1000) if f"{letter}{n}" not in words)
    return dict(zip(dict.fromkeys(names), free, strict=False))


def _list_spoken(text: str, keywords: bool = True) -> set[str]:
    """The names that a program passes as keywords, or has in its texts."""
    spoken = set(re.findall(r"\w+", " ".join(re.findall(r"\"[^\"\n]*\"|'[^'\n]*'", text))))
    return spoken | (set(re.findall(r"(\w+)\s*=[^=]", text)) if keywords else set())


def _list_passed(module: cst.Module) -> set[str]:
    """The keywords in calls of what is not a function or class of the module."""
    own = list_definitions(module)
    calls = [call for call in _find(module, cst.Call) if not _is_one_of(call.func, own)]
    return {arg.keyword.value for call in calls for arg in call.args if arg.keyword is not None}


def _is_one_of(node: cst.CSTNode, names: Sequence[str]) -> bool:
    return isinstance(node, cst.Name) and node.value in names


def _list_declared(module: cst.Module) -> set[str]:
    found: list[cst.Global | cst.Nonlocal] = [*_find(module, cst.Global)]
    found += _find(module, cst.Nonlocal)
    return {item.name.value for node in found for item in node.names}


def _is_plain(node: cst.CSTNode) -> bool:
    return not isinstance(node, cst.FunctionDef | cst.ClassDef)


def _find_stores(module: cst.Module) -> Iterator[cst.AssignTarget]:
    """Targets of assignments, those within tuples by themselves."""
    for target in _find(module, cst.AssignTarget):
        if isinstance(target.target, cst.Tuple):
            yield from (cst.AssignTarget(each.value) for each in target.target.elements)  # type: ignore[arg-type]
        else:
            yield target


def _find(module: cst.Module, kind: type[N]) -> list[N]:
    found = m.findall(module, getattr(m, kind.__name__)())
    return [node for node in found if isinstance(node, kind)]
