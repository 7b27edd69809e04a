"""Which line fixed a size that was declared dynamic: read off the shape environment of an error."""

from __future__ import annotations

import re
from typing import Any

from lintorch.trials.exporter import Explained, Job
from lintorch.trials.trouble import chain, core, frames

_SOURCE = re.compile(r"\w+\['(?P<input>\w+)'\]\.(size\(\)|shape)\[(?P<axis>\d+)\]")
_BAKED = (
    re.compile(
        r"You marked (?P<source>.*?) as dynamic but your code specialized it"
        r" to be a constant \((?P<value>\d+)\)"
    ),
    re.compile(
        r"tracing inferred a static shape of (?P<value>\d+) for dimension (?P<source>\S+\])"
    ),
)
_KEPT = "ShapeEnv"
_SOLVER = "sympy"


def specialised(error: BaseException, job: Job) -> Explained | None:
    """What a violated constraint says; None for an error of another kind."""
    for inner in reversed([*chain(error)]):
        found = {
            _named(match["source"], job): match["value"]
            for pattern in _BAKED
            for match in pattern.finditer(str(inner))
        }
        if found:
            sizes = " and ".join(f"{name} ({value})" for name, value in found.items())
            message = f"{type(inner).__name__}: the code fixes {sizes}, declared dynamic"
            return Explained(where=_where(error), message=message)
    return None


def unsolved(error: BaseException) -> Explained | None:
    """What is known of an error of the solver that torch asks; None for an error of another kind."""
    for inner in chain(error):
        last = [*frames(inner)][-1:]
        if any(_SOLVER in frame.f_globals.get("__name__", "") for frame in last):
            told = f"torch cannot solve for the sizes declared dynamic: {core(inner)}"
            return Explained(message=told)
    return None


def _named(source: str, job: Job) -> str:
    match = _SOURCE.search(source)
    for given in job.inputs if match else ():
        if match and given.name == match["input"] and int(match["axis"]) < len(given.shape):
            return str(given.shape[int(match["axis"])])
    return source


def _where(error: BaseException) -> str:
    """Lines of the guards that made a size constant, as a printed stack, the first guard last."""
    for inner in chain(error):
        for frame in frames(inner):
            for value in frame.f_locals.values():
                environment = value if type(value).__name__ == _KEPT else None
                if type(value).__name__ == "FakeTensorMode":
                    environment = value.shape_env
                if environment is not None and (found := _locations(environment)):
                    return "\n".join(reversed(found))
    return ""


def _locations(environment: Any) -> list[str]:
    fixed = {
        symbol
        for symbol, value in environment.replacements.items()
        if getattr(value, "is_number", False)
    }
    places = [
        getattr(guard.sloc, "framework_loc", None)
        for guard in environment.guards
        if set(getattr(guard.expr, "free_symbols", ())) & fixed
    ]
    return [
        f'  File "{place.filename}", line {place.lineno}, in {place.name}'
        for place in places
        if place is not None and hasattr(place, "filename")
    ]
