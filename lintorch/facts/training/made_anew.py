"""Models that are made anew behind the optimizer of the first, which goes on with that."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Protocol

import libcst as cst

from lintorch.facts.names.lookup import HasNames
from lintorch.syntax.parsed_file import HasFile


class _Reads(HasNames, HasFile, Protocol):
    """A file with its text and names."""


_COPIES = frozenset({"copy.deepcopy"})
_GIVEN = re.compile(r"\b([A-Za-z_]\w*)\.(?:named_)?parameters\(\)")


def find_made_anew(call: cst.Call, source: _Reads) -> Iterator[tuple[cst.Assign, str]]:
    """Assignments of another model to the name whose parameters an optimizer is made of, or of a new layer
    to a place in it (`model.classifier[6] = nn.Linear(…)`), and what is assigned.

    Only where the optimizer then steps, or goes with the model to a function, and is not made or
    given groups in between.
    """
    file = source.file
    made = _find_assign(call, source)
    function = file.enclosing(call, cst.FunctionDef)
    optimizer = _name_target(made)
    owners = {*_GIVEN.findall(", ".join(file.code(each) for each in call.args))}
    if made is None or not optimizer or len(owners) != 1:
        return
    (name,) = owners
    here = [
        each for each in file.nodes(cst.Assign) if file.enclosing(each, cst.FunctionDef) is function
    ]
    block = file.enclosing(made, cst.IndentedBlock, cst.Module)
    renewed = [e for e in here if _name_target(e) == optimizer and file.precedes(made, e)]
    for each in here:
        if (
            not file.precedes(made, each)
            or not _is_target(each, name, source)
            or not _is_new(each, name, source)
        ):
            continue
        if block is not None and block not in file.ancestors(each):
            continue
        again = next((e for e in renewed if file.precedes(each, e)), None)
        if any(file.precedes(e, each) for e in renewed):
            continue
        if _steps_behind(each, again, name, optimizer, function, source):
            yield each, file.code(each.targets[0].target)


def _find_assign(call: cst.Call, source: _Reads) -> cst.Assign | None:
    outer = source.file.parent(call)
    return outer if isinstance(outer, cst.Assign) and outer.value is call else None


def _name_target(assign: cst.Assign | None) -> str:
    target = assign.targets[0].target if assign is not None and len(assign.targets) == 1 else None
    return target.value if isinstance(target, cst.Name) else ""


def _is_target(assign: cst.Assign, name: str, source: _Reads) -> bool:
    """Whether it is the name that is assigned, or a layer in an item, or in a part, of what it stands for.

    `model.fc = …` is followed with its values, and told by these.
    """
    if _name_target(assign) == name:
        return True
    target = assign.targets[0].target if len(assign.targets) == 1 else None
    value = assign.value
    if not isinstance(target, (cst.Subscript, cst.Attribute)) or not isinstance(value, cst.Call):
        return False
    inside = re.fullmatch(rf"{name}\[.+\]|{name}\..+[.\]].*", source.file.code(target))
    made = source.names.name(value.func)
    return inside is not None and made.startswith("torch.nn.") and made.count(".") == 2


def _is_new(assign: cst.Assign, name: str, source: _Reads) -> bool:
    """Whether a call gives it that is not told of the old one, but for a copy of that."""
    value, text = assign.value, source.file.code(assign.value)
    if not isinstance(value, cst.Call):
        return False
    if source.names.name(value.func) in _COPIES:
        return True
    return re.search(rf"\b{name}\b", text) is None and "optim" not in text


def _steps_behind(
    renewal: cst.Assign,
    until: cst.Assign | None,
    name: str,
    optimizer: str,
    function: cst.FunctionDef | None,
    source: _Reads,
) -> bool:
    """Whether the old optimizer steps behind a renewal, or is handed on with the new model, on the same way."""
    file, used = source.file, False
    for call in file.nodes(cst.Call):
        if file.enclosing(call, cst.FunctionDef) is not function or not file.precedes(
            renewal, call
        ):
            continue
        if until is not None and not file.precedes(call, until):
            break
        text = file.code(call.func)
        if text == f"{optimizer}.add_param_group" or _is_apart(renewal, call, source):
            return False
        given = {file.code(each.value) for each in call.args}
        used |= text == f"{optimizer}.step" or {name, optimizer} <= given
    return used and f"{optimizer}.param_groups" not in file.text


def _is_apart(renewal: cst.Assign, call: cst.Call, source: _Reads) -> bool:
    """Whether one stands in the body of an `if` and the other in its `else`, or the renewal's block is left."""
    around = [*source.file.ancestors(call)]
    inner: cst.CSTNode = renewal
    for outer in source.file.ancestors(renewal):
        if outer in around:
            index = around.index(outer)
            other = around[index - 1] if index else call
            return isinstance(outer, cst.If) and inner is not other
        if isinstance(outer, cst.IndentedBlock) and _is_left(outer):
            return True
        inner = outer
    return False


def _is_left(block: cst.IndentedBlock) -> bool:
    """Whether a block ends in `return`, `raise`, `break` or `continue`."""
    last = block.body[-1] if block.body else None
    small = last.body[-1] if isinstance(last, cst.SimpleStatementLine) else None
    return isinstance(small, (cst.Return, cst.Raise, cst.Break, cst.Continue))
