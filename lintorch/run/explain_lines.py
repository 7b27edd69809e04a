"""What is known of the values on lines, by the ways in which models lead there."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from lintorch.facts.models.explain_rows import (
    Explained,
    ExplainedValue,
    RowContext,
    name_function_at,
    rows_of_statement,
)
from lintorch.files import FileText, read_file
from lintorch.run.given_files import list_files
from lintorch.run.importers import Importers
from lintorch.run.request import ExplainRequest
from lintorch.run.scope import Scope
from lintorch.source import Source
from lintorch.syntax.python_ast import parse_python

__all__ = ["ExplainedLines", "ExplainedValue", "NoLineError", "RowContext", "explain_lines"]
_MOST_IMPORTERS = 40
"""Files of the project whose models are asked where those of the file itself do not lead there."""


class NoLineError(Exception):
    """What was asked for is no line of a Python file; says why."""


@dataclass(frozen=True)
class ExplainedLines:
    """The contexts of the lines that were asked for; `silence` says why there are none."""

    contexts: tuple[RowContext, ...]
    silence: str = ""
    notes: tuple[str, ...] = ()


def explain_lines(request: ExplainRequest) -> ExplainedLines:
    """Evaluate the models of the file, or else of those that import it, or its function by itself.

    Raises NoLineError.
    """
    path, first, last = split_place(request.place)
    text = _read_text(path)
    try:
        tree = parse_python(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise NoLineError(f"{path} cannot be parsed: {error}") from error
    asked = range(first, last + 1) if first else range(1, text.count("\n") + 2)
    statements = [rows_of_statement(tree, line) for line in asked]
    rows = {row: each[0] for each in statements for row in each}
    if not rows:
        raise NoLineError(f"{path}:{first}: there is no statement")
    found: list[Explained] = []
    for other in _choose_files(request, path):
        found.append(_explain_file(other, path, rows))
        if found[-1].contexts and not request.paths:
            break
    contexts = tuple(context for each in found for context in each.contexts)
    silence = "" if contexts else _explain_silence(found, name_function_at(tree, first))
    if not contexts:
        found.append(_explain_file(path, path, rows, alone=True))
        contexts = found[-1].contexts
    notes = tuple(_list_notes(found))
    if contexts and silence:
        notes = (f"{request.place}: {silence}; it is followed by itself", *notes)
    return ExplainedLines(contexts, "" if contexts else silence, notes)


def split_place(place: str) -> tuple[str, int, int]:
    """`net.py:12`, `net.py:12-20` or `net.py`: path, first and last row, 0 for all. Raises NoLineError."""
    path, colon, rows = place.rpartition(":")
    first, dash, last = rows.partition("-")
    if not colon or not first.isdecimal():
        return place, 0, 0
    if dash and not last.isdecimal():
        raise NoLineError(f"{rows} are no rows: write FILE:LINE or FILE:FIRST-LAST")
    return path, int(first), int(last) if dash else int(first)


def _read_text(path: str) -> str:
    found = read_file(path)
    if not isinstance(found, FileText):
        raise NoLineError(f"{path}: {found.cause}")
    return found.text


def _choose_files(request: ExplainRequest, path: str) -> Iterator[str]:
    """The file itself, and those whose models may lead there."""
    yield path
    if request.paths:
        own = os.path.abspath(path)
        files = list_files(request, Scope(request), notebooks=False).paths
        yield from (each for each in files if os.path.abspath(each) != own)
        return
    scope = Scope(replace(request, paths=(path,)))
    yield from Importers(scope).list_importers(path)[:_MOST_IMPORTERS]


def _explain_file(path: str, of: str, rows: Mapping[int, int], alone: bool = False) -> Explained:
    try:
        source = Source(path, _read_text(path))
    except Exception:  # it does not parse: no model of it leads anywhere
        return Explained((), (), (), ())
    return source.evaluation.explain_rows(of, rows, alone)


def _list_notes(found: Sequence[Explained]) -> Iterator[str]:
    for name in dict.fromkeys(name for each in found for name in each.spent):
        yield f"{name} is too long to be followed to its end: there may be more"
    for name in dict.fromkeys(name for each in found for name in each.failures):
        yield f"{name} was not followed to its end, by a defect of lintorch; please report it"


def _explain_silence(found: Sequence[Explained], function: str) -> str:
    models = dict.fromkeys(name for each in found for name in each.models)
    if not models:
        return "no model was found that could lead there"
    named = ", ".join(list(models)[:4]) + (
        f" and {len(models) - 4} more" if len(models) > 4 else ""
    )
    place = f"{function} is" if function else "the line is"
    return f"{place} not reached by the models found: {named}"
