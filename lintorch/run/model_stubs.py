"""Settings to be filled in for models that could not be built or fed, as comments of the settings file."""

from __future__ import annotations

import ast
import json
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lintorch.record.models import Failure

_STAGES = ("build", "inputs", "run")
"""Where settings may help."""
_NOT_FOR_SETTINGS = re.compile(r"pip install|is not installed|is not here|random weights")
_EXAMPLE = "float32[batch, 3, height=64, width=64]"


@dataclass(frozen=True)
class _Needed:
    """The names of what a class must be given: by its constructor, and by `forward`."""

    arguments: tuple[str, ...]
    inputs: tuple[str, ...]


def write_stubs(
    failures: Iterable[Failure], root: str, folder: str, held: str
) -> Iterator[tuple[str, str]]:
    """Names and commented tables of models that settings may help; not those that `held` has a word of.

    A stub names the factory relative to `folder`, and all that has to be given.
    """
    for failure in failures:
        inner = os.path.relpath(os.path.realpath(failure.path), os.path.realpath(folder))
        factory = json.dumps(f"{inner.replace(os.sep, '/')}:{failure.qualname}")
        helps = failure.stage in _STAGES and not _NOT_FOR_SETTINGS.search(failure.cause)
        if not helps or not failure.qualname or inner.startswith(os.pardir) or factory in held:
            continue
        needed = _read_needed(failure)
        lines = [
            f"{failure.qualname}, {failure.stage}: {_take_line(failure.cause)}",
            f"[{root}.{failure.qualname}]",
            f"factory = {factory}",
            *([f"args = {{ {_list_open(needed.arguments)} }}"] if needed.arguments else ()),
            f"inputs = {json.dumps([_EXAMPLE] * max(1, len(needed.inputs)))}",
            *([f"# of {', '.join(needed.inputs)}"] if needed.inputs else ()),
        ]
        yield failure.qualname, "\n".join(f"# {line}" for line in lines)


def _take_line(text: str) -> str:
    return text.partition("\n")[0]


def _list_open(names: Iterable[str]) -> str:
    return ", ".join(f"{name} = ?" for name in names)


def _read_needed(failure: Failure) -> _Needed:
    """What the class or function in the file says that it needs; nothing where it cannot be read."""
    try:
        with open(failure.path, "rb") as file:
            body = ast.parse(file.read()).body
    except (OSError, SyntaxError, ValueError):
        return _Needed((), ())
    for node in body:
        if getattr(node, "name", "") == failure.qualname:
            if isinstance(node, ast.ClassDef):
                return _Needed(_list_needed(node, "__init__"), _list_needed(node, "forward"))
            if isinstance(node, ast.FunctionDef):
                return _Needed(_list_required(node), ())
    return _Needed((), ())


def _list_needed(kind: ast.ClassDef, method: str) -> tuple[str, ...]:
    named = (n for n in kind.body if isinstance(n, ast.FunctionDef) and n.name == method)
    return next((_list_required(each)[1:] for each in named), ())


def _list_required(function: ast.FunctionDef) -> tuple[str, ...]:
    given = [each.arg for each in (*function.args.posonlyargs, *function.args.args)]
    return tuple(given[: len(given) - len(function.args.defaults)])
