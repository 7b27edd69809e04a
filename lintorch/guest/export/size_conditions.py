"""What an exporter took for given of sizes, in the names that the model's sizes have."""

from __future__ import annotations

import keyword
import math
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from lintorch.guest.export.exporter import Job
from lintorch.guest.export.size_guards import SizeGuard

_SIZE = re.compile(r"\.(?:size\(\)|shape)\[(?P<axis>\d+)\]$")
_CALLED = {"min": min, "max": max, "abs": abs, "math": math}
"""What the text of a condition calls."""
_ASSUMED = (0, 1, 2)
"""Torch takes for given that no size, and none that it works out of them, is 0 or 1."""


@dataclass(frozen=True)
class SizeCondition:
    """A condition on named sizes that an exported program holds for: `height < 597`.

    `stack` ends with the line that asked; `by_user` as in `SizeGuard`.
    """

    text: str
    names: frozenset[str]
    stack: str
    by_user: bool
    holds: Callable[[Mapping[str, int]], bool]


def name_conditions(job: Job) -> tuple[SizeCondition, ...]:
    """All that was taken for given in an export of this job and may not hold at other sizes.

    Those that a line of Python decided come first. None where torch keeps its sizes otherwise.
    """
    found: dict[str, SizeCondition] = {}
    for guard in job.guards.guards:
        with suppress(Exception):  # another release of torch, or what has no Python text
            for condition in _name_guard(guard, job):
                found.setdefault(condition.text, condition)
    return tuple(sorted(found.values(), key=lambda each: not each.by_user))


def _name_guard(guard: SizeGuard, job: Job) -> Iterator[SizeCondition]:
    from torch.utils._sympy.printers import PythonPrinter

    symbols = _name_symbols(guard.environment, job)
    asked = guard.expression.free_symbols
    if not asked or not asked <= set(symbols):
        return
    if _is_assumed(guard.expression) and not guard.by_user:
        return
    named = {each: type(each)(symbols[each], integer=True, positive=True) for each in asked}
    text = PythonPrinter().doprint(guard.expression.xreplace(named))
    code = compile(text, "<condition>", "eval")
    known = {"__builtins__": {}, **_CALLED}

    def holds(sizes: Mapping[str, int]) -> bool:
        try:
            return bool(eval(code, known, sizes))
        except ZeroDivisionError:
            return False

    names = frozenset(code.co_names) & frozenset(symbols.values())
    if names and holds(_list_traced_sizes(job)):
        yield SizeCondition(text, names, guard.stack, guard.by_user, holds)


def _list_traced_sizes(job: Job) -> dict[str, int]:
    return {
        name: tensor.shape[axis]
        for axes, tensor in zip(job.list_dynamic_axes(), job.example, strict=True)
        for axis, name in axes.items()
    }


def _name_symbols(environment: Any, job: Job) -> dict[Any, str]:
    """The names of the sizes that an environment's symbols stand for, by their order among the inputs."""
    axes = [each for given in job.list_dynamic_axes() for each in sorted(given.items())]
    sources = [
        (int(match["axis"]), symbol)
        for source, symbol in environment.source_to_var.items()
        if (match := _SIZE.search(source))
    ]
    if [axis for axis, _ in sources] != [axis for axis, _ in axes]:
        return {}
    names = {symbol: name for (_, symbol), (_, name) in zip(sources, axes, strict=True)}
    usual = all(name.isidentifier() and not keyword.iskeyword(name) for name in names.values())
    return names if usual else {}


def _is_assumed(expression: Any) -> bool:
    """Whether this only says that something is not 0 or 1, maybe by what it would then be equal to."""
    if not expression.is_Relational or expression.rel_op == "==":
        return False
    if expression.rel_op == "!=":
        return True
    return any(side in _ASSUMED for side in expression.args if side.is_number)
