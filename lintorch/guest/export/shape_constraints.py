"""Which line fixed a size that was declared dynamic: read off the shape environment of an error."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

import torch

from lintorch.guest.export.error_reading import list_causes, list_frames, summarise_error
from lintorch.guest.export.exporter import Explained, Job
from lintorch.guest.process.error_text import text_of
from lintorch.record.arguments import pick_tensors

_SIZE_SOURCE = re.compile(r"\w+\['(?P<input>\w+)'\]\.(size\(\)|shape)\[(?P<axis>\d+)\]")
_FIXED_SIZE = (
    re.compile(
        r"You marked (?P<source>.*?) as dynamic but your code specialized it"
        r" to be a constant \((?P<value>\d+)\)"
    ),
    re.compile(
        r"tracing inferred a static shape of (?P<value>\d+) for dimension (?P<source>\S+\])"
    ),
)
_ENVIRONMENT_CLASS = "ShapeEnv"
_TORCH_FOLDER = os.path.dirname(torch.__file__) + os.sep
_SOLVER_PACKAGE = "sympy"


def explain_fixed_size(error: BaseException, job: Job) -> Explained | None:
    """What a violated constraint says; None for an error of another kind."""
    for inner in reversed([*list_causes(error)]):
        if found := _list_fixed(inner, job):
            sizes = " and ".join(f"{name} ({value})" for name, value in found.items())
            message = f"{type(inner).__name__}: the code fixes {sizes}, declared dynamic"
            where = _list_guard_lines(error) or job.guards.find_fixing_stack(find_fixed_symbols)
            return Explained(where=where, message=message)
    return None


def list_fixed_sizes(error: BaseException, job: Job) -> dict[str, str]:
    """The sizes declared dynamic that an error says the code fixes, by name; none for one of another kind."""
    found = (_list_fixed(inner, job) for inner in reversed([*list_causes(error)]))
    return next(filter(None, found), {})


def _list_fixed(error: BaseException, job: Job) -> dict[str, str]:
    return {
        _name_size(match["source"], job): match["value"]
        for pattern in _FIXED_SIZE
        for match in pattern.finditer(text_of(error))
    }


def explain_unsolved(error: BaseException, job: Job) -> Explained | None:
    """What is known of an error of the solver that torch asks; None for an error of another kind.

    To blame is the line that asks for two sizes to be one, of which a line before it rounds one.
    """
    for inner in list_causes(error):
        last = [*list_frames(inner)][-1:]
        if any(_SOLVER_PACKAGE in frame.f_globals.get("__name__", "") for frame in last):
            message = f"torch cannot solve for the sizes declared dynamic: {summarise_error(inner)}"
            return Explained(where=job.guards.find_tying_stack(), message=message)
    return None


def _name_size(source: str, job: Job) -> str:
    match = _SIZE_SOURCE.search(source)
    for given in pick_tensors(job.inputs) if match else ():
        if match and given.name == match["input"] and int(match["axis"]) < len(given.shape):
            return str(given.shape[int(match["axis"])])
    return source


def _list_guard_lines(error: BaseException) -> str:
    """Lines of the guards that made a size constant, as a printed stack, the first guard last."""
    for environment in _find_environments(error):
        if found := _list_locations(environment):
            return "\n".join(reversed(found))
    return ""


def _find_environments(error: BaseException) -> Iterator[Any]:
    for inner in list_causes(error):
        for frame in list_frames(inner):
            for value in [*frame.f_locals.values()]:
                if type(value).__name__ == _ENVIRONMENT_CLASS:
                    yield value
                elif type(value).__name__ == "FakeTensorMode" and value.shape_env is not None:
                    yield value.shape_env


def find_fixed_symbols(environment: Any) -> set[Any]:
    """The symbols that became numbers: some environments forget what was put in their place."""
    replaced = {s for s, v in environment.replacements.items() if getattr(v, "is_number", False)}
    return replaced | {s for s, v in environment.var_to_range.items() if v.lower == v.upper}


def _list_locations(environment: Any) -> list[str]:
    fixed = find_fixed_symbols(environment)
    places = [
        getattr(guard.sloc, "framework_loc", None)
        for guard in environment.guards
        if set(getattr(guard.expr, "free_symbols", ())) & fixed
    ]
    return [
        f'  File "{place.filename}", line {place.lineno}, in {place.name}'
        for place in places
        if place is not None
        and not getattr(place, "filename", _TORCH_FOLDER).startswith(_TORCH_FOLDER)
    ]
