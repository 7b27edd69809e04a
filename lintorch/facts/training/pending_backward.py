"""Whether the backward of a loss is still to come at a place: what the loss goes into is followed.

Followed are the statements of one block in order of the text, those of blocks inside it too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import libcst as cst

from lintorch.facts.names.lookup import HasNames
from lintorch.facts.names.scopes import dotted_text
from lintorch.facts.training.loops import is_backward
from lintorch.syntax.tree import offspring

_OPAQUE = (cst.FunctionDef, cst.ClassDef, cst.Lambda)
_RUNS = frozenset({"torch.autograd.backward", "torch.autograd.grad"})
_LOOKS = re.compile(
    r"^(print|log\w*|write\w*|append|extend|add\w*|update|format|float|str|sum|mean|stack|item|info"
    r"|debug|warning|len|min|max|list|tuple|dict|isnan|isfinite|set_\w+|all_reduce|reduce\w*)$"
)
"""Names of functions that run no backward of what they are given."""


def is_pending(loss: cst.Call, place: cst.CSTNode, block: cst.CSTNode, source: HasNames) -> bool:
    """Whether a loss worked out in a block surely runs backward behind a place, and not before it."""
    held: set[str] = set()
    past = False
    for step in _steps(block.body):  # type: ignore[attr-defined]
        past = past or _holds(step, place)
        if not (_holds(step, loss) or _mentions(step, held)):
            if not past and _reaches(step, held):
                return False
            held -= set(_targets(step))
        elif any(_runs(call, loss, held, source) for call in _calls(step)):
            return past and not _holds(step, place)
        elif not past and any(_may_run(call, held, source) for call in _calls(step)):
            return False
        else:
            held |= set(_targets(step))
    return False


def _steps(statements: Iterable[cst.CSTNode]) -> Iterator[cst.CSTNode]:
    """The small statements, of blocks inside too, in order."""
    for statement in statements:
        if isinstance(statement, cst.BaseSmallStatement):
            yield statement
        elif not isinstance(statement, _OPAQUE):
            yield from _steps(offspring(statement))


def _runs(call: cst.Call, loss: cst.Call, held: set[str], source: HasNames) -> bool:
    """`loss.backward()`, `scaler.scale(loss).backward()`, `fabric.backward(loss)`."""
    known = is_backward(call) or source.names.name(call.func) in _RUNS
    return known and (_holds(call, loss) or _mentions(call, held))


def _may_run(call: cst.Call, held: set[str], source: HasNames) -> bool:
    """Whether something unknown is handed the loss."""
    given = any(dotted_text(arg.value) in held for arg in call.args)
    last = call.func.attr if isinstance(call.func, cst.Attribute) else call.func
    looks = isinstance(last, cst.Name) and bool(_LOOKS.match(last.value))
    return given and not looks and not source.names.name(call.func).startswith("torch.")


def _reaches(step: cst.CSTNode, held: set[str]) -> bool:
    """`self.update_critic()`, where the loss is kept as `self.loss`."""
    kept = any(text.startswith("self.") for text in held)
    return kept and any(dotted_text(call.func).startswith("self.") for call in _calls(step))


def _targets(step: cst.CSTNode) -> Iterator[str]:
    """What a statement gives a value, or puts one into."""
    places: list[cst.BaseExpression] = []
    if isinstance(step, cst.Assign):
        places = [target.target for target in step.targets]
    elif isinstance(step, (cst.AnnAssign, cst.AugAssign)):
        places = [step.target]
    elif isinstance(step, cst.Expr) and isinstance(step.value, cst.Call):
        func = step.value.func
        filled = isinstance(func, cst.Attribute) and func.attr.value in ("append", "extend")
        places = [func.value] if filled and isinstance(func, cst.Attribute) else []
    while places:
        place = places.pop()
        if isinstance(place, (cst.Tuple, cst.List)):
            places += [element.value for element in place.elements]
        elif text := dotted_text(place.value if isinstance(place, cst.Subscript) else place):
            yield text


def _calls(node: cst.CSTNode) -> Iterator[cst.Call]:
    for part in _parts(node):
        if isinstance(part, cst.Call):
            yield part


def _mentions(node: cst.CSTNode, names: set[str]) -> bool:
    return bool(names) and any(dotted_text(part) in names for part in _parts(node))


def _holds(node: cst.CSTNode, wanted: cst.CSTNode) -> bool:
    return any(part is wanted for part in _parts(node))


def _parts(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """A node and all below it that runs with it."""
    yield node
    for child in offspring(node):
        if not isinstance(child, _OPAQUE):
            yield from _parts(child)
