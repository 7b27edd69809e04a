"""How other files of the project build a class: with other settings than its defaults."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from lintorch.evaluator.code_files import CodeFile
from lintorch.evaluator.machine import Machine
from lintorch.evaluator.values import UNKNOWN, Function, Given, Value

_MOST = 3
"""Calls that are tried."""


def list_uses(name: str, files: Iterable[CodeFile]) -> list[ast.Call]:
    """Calls of a class that say themselves what it is built with, as far as that is written out."""
    found = (call for file in files for call in _list_calls(name, file))
    return [call for call, _ in zip(found, range(_MOST), strict=False)]


def find_only_use(name: str, file: CodeFile, others: Iterable[CodeFile]) -> ast.Call | None:
    """A call that says what a class of a file is built with, where no other file leaves all its defaults."""
    taking = (each for each in others if _takes_from(each, name, file))
    calls = [call for each in taking for call in _walk_calls(name, each)]
    if any(not call.args and not call.keywords for call in calls):
        return None
    return next(filter(_tells, calls), None)


def _takes_from(other: CodeFile, name: str, file: CodeFile) -> bool:
    """Whether a file imports a name from another one or its package, as far as both are called alike."""
    parts = file.name.split(".")
    return any(
        isinstance(each, ast.ImportFrom) and (each.module or parts[-1]).split(".")[-1] in parts
        for spelled in _list_names(name, other)
        for each in other.bindings.get(spelled, ())
    )


def is_called(name: str, files: Iterable[CodeFile]) -> bool:
    """Whether any of the files calls a class, with whatever it is given."""
    return any(True for file in files for _ in _walk_calls(name, file))


def leave_defaults(init: Function) -> Given:
    """A call that gives each parameter that has a default, and something unknown."""
    spec = init.node.args
    late = [*spec.posonlyargs, *spec.args][1:][-len(spec.defaults) :] if spec.defaults else []
    named = zip(spec.kwonlyargs, spec.kw_defaults, strict=True)
    late += [each for each, default in named if default is not None]
    return Given((), {each.arg: UNKNOWN for each in late})


def _walk_calls(name: str, file: CodeFile) -> Iterator[ast.Call]:
    names = _list_names(name, file)
    for each in ast.walk(file.tree):
        if isinstance(each, ast.Call):
            func = each.func
            if getattr(func, "attr", getattr(func, "id", "")) in names:
                yield each


def _list_names(name: str, file: CodeFile) -> set[str]:
    """What a file calls a class: `Net`, and `model` where it says `from nets import Net as model`."""
    imports = (each for each in ast.walk(file.tree) if isinstance(each, ast.ImportFrom))
    aliases = (alias for each in imports for alias in each.names if alias.name == name)
    return {name, *(each.asname for each in aliases if each.asname)}


def _list_calls(name: str, file: CodeFile) -> Iterator[ast.Call]:
    yield from filter(_tells, _walk_calls(name, file))


def _tells(call: ast.Call) -> bool:
    """Whether anything that a call gives is written out."""
    stars = any(isinstance(each, ast.Starred) for each in call.args)
    return not stars and any(map(_is_literal, _list_given(call)))


def _list_given(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(each.value for each in call.keywords)]


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def evaluate_use(machine: Machine, call: ast.Call) -> Given:
    """What such a call gives; what is not written out is unknown, and left to the defaults."""
    positional = tuple(_evaluate(machine, each) for each in call.args)
    keyword = {e.arg: _evaluate(machine, e.value) for e in call.keywords if e.arg is not None}
    return Given(positional, keyword, open=any(each.arg is None for each in call.keywords))


def _evaluate(machine: Machine, node: ast.expr) -> Value:
    return machine.evaluate(node) if _is_literal(node) else UNKNOWN
