"""Questions that code asks about who runs it, and the branches that only some exporters take.

    size = round_up(torch.ceil(h / 2)) if torch.jit.is_tracing() else round_up(h / 2)

Where `round_up` asks whether it is traced, the first call takes the one side, the second the other.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from lintorch.evaluator.events import Decided
from lintorch.evaluator.exporters import EAGER, SIZE_CLASSES, TOLD, TRACERS
from lintorch.evaluator.machine import Machine
from lintorch.evaluator.values import NONE, ByExporter, Constant, Number, Value

_STATE = "torch._C._get_tracing_state"


def ask_exporter(machine: Machine, name: str) -> Value:
    """What `torch.jit.is_tracing()` and the like give where code of the root runs."""
    answer = say_told(machine, TOLD[name])
    return NONE if name == _STATE and answer == Constant(False) else answer


def say_told(machine: Machine, told: frozenset[str]) -> Value:
    """The answer yes for those that are told, among who runs code of the root here."""
    here = machine.here.exporters
    if here <= told:
        return Constant(True)
    return ByExporter(told) if here & told else Constant(False)


def ask_size_class(machine: Machine, value: Value, paths: Iterable[str]) -> Value | None:
    """`isinstance(x.shape[2], torch.Tensor)`; None of what is no size as a shape gives it.

    A whole number of which nothing is known is one where code asks for a class of torch: no other may be.
    """
    if not isinstance(value, Number) or value.varies is False or value.truth:
        return None
    if value.data or value.whole is None or not {each.name for each in value.via} <= _ROUNDINGS:
        return None
    paths = tuple(paths)
    if (value.size is None or not value.varies) and not any(p.startswith("torch.") for p in paths):
        return None
    other = "float" if value.whole else "int"
    known = [SIZE_CLASSES.get(path, frozenset()) for path in paths if path != other]
    told = frozenset().union(*known)
    if value.via:  # tracers work out an int
        told = told - TRACERS | (TRACERS if told >= EAGER else frozenset())
    return say_told(machine, told)


_ROUNDINGS = frozenset({"math.ceil", "math.floor"})
"""Functions that give programs a SymInt, and tracers an int."""


def keep_exporters(machine: Machine, test: ast.expr, value: Value, truth: bool) -> None:
    """From here on only those run for whom a test, which has this value, comes out so."""
    here = machine.here
    for told, wanted in _list_parts(machine, test, value, truth):
        here.exporters = here.exporters & told if wanted else here.exporters - told


def note_part(machine: Machine, node: ast.expr, value: Value) -> None:
    """Remember what a part of `a and b` is, where that depends on the exporter."""
    if type(value) is ByExporter:
        machine.parts[node] = value
    else:
        machine.parts.pop(node, None)


def _list_parts(
    machine: Machine, node: ast.expr, value: Value | None, truth: bool
) -> Iterator[tuple[frozenset[str], bool]]:
    """What each part of a test is, where the whole comes out so."""
    if isinstance(value, ByExporter):
        yield value.told, truth
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield from _list_parts(machine, node.operand, machine.parts.get(node.operand), not truth)
    elif isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And) is truth:
        for each in node.values:
            yield from _list_parts(machine, each, machine.parts.get(each), truth)


def tell_decided(
    machine: Machine, node: ast.expr, kind: str, test: Value, answer: bool | None, branch: ast.AST
) -> None:
    """Tell of a test among those who do not know its answer from who they are: `is_tracing() or h > 8`."""
    here, before = machine.here, machine.here.exporters
    yes, no = _find_settled(machine, node)
    here.exporters = (before - yes - no if answer is None else before) or before
    machine.tell(Decided, node, kind, test, answer, branch)
    here.exporters = before


def _find_settled(machine: Machine, node: ast.expr) -> tuple[frozenset[str], frozenset[str]]:
    """For whom a test comes out true, and for whom false, whatever else it asks."""
    part = machine.parts.get(node)
    if part is not None:
        here = machine.here.exporters
        return here & part.told, here - part.told
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return _find_settled(machine, node.operand)[::-1]
    if not isinstance(node, ast.BoolOp):
        return frozenset(), frozenset()
    sides = [_find_settled(machine, each) for each in node.values]
    yes, no = zip(*sides, strict=True)
    if isinstance(node.op, ast.And):
        return frozenset.intersection(*yes), frozenset().union(*no)
    return frozenset().union(*yes), frozenset.intersection(*no)
