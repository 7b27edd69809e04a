"""What has to be set before the first call: by a method of the model, `net.init_sequence(batch_size)`, or by a script."""

from __future__ import annotations

import ast
import inspect
import re
from dataclasses import dataclass

from torch import nn

from lintorch.guest.construct.function_text import parse_source_of
from lintorch.guest.feed.script_attributes import find_set_number
from lintorch.guest.process.assumptions import note_assumption

_OF_SAMPLES = re.compile(r"(n_?|num_?)?(batch|samples?|bs|b)(_?(size|sz|num))?", re.IGNORECASE)
_NO_BEGINNINGS = frozenset(("__init__", "forward", "train", "eval"))


@dataclass(frozen=True)
class Begun:
    """A method of a part, by its path, and how many samples it was told; None where it takes nothing.

    Without a method it is the `attribute` that was set to a `number`, as a script of the project does.
    """

    path: str
    method: str = ""
    batch: int | None = None
    attribute: str = ""
    number: float = 0


def begin_state(module: nn.Module, error: BaseException, batch: int) -> Begun | None:
    """Call the method that sets the attribute which an error says is lacking, or set it as a script does; None where neither can be."""
    part, lacking = getattr(error, "obj", None), getattr(error, "name", None)
    if not isinstance(error, AttributeError) or not isinstance(part, nn.Module) or not lacking:
        return None
    path = next((path for path, each in module.named_modules() if each is part), None)
    for name, method in inspect.getmembers(type(part), inspect.isfunction):
        if path is None or name in _NO_BEGINNINGS or not _sets(method, lacking):
            continue
        needed = [
            each
            for each in [*inspect.signature(method).parameters.values()][1:]
            if each.default is each.empty
        ]
        if len(needed) > 1 or not all(_OF_SAMPLES.fullmatch(each.name) for each in needed):
            continue
        begun = Begun(path, name, batch if needed else None)
        if repeat_beginning(module, begun):
            return begun
    number = find_set_number(part, lacking) if path is not None else None
    if path is None or number is None:
        return None
    begun = Begun(path, attribute=lacking, number=number)
    return begun if repeat_beginning(module, begun) else None


def repeat_beginning(module: nn.Module, begun: Begun | None) -> bool:
    """Call the method, or set the attribute, in this process; whether that went well."""
    if begun is None:
        return False
    if begun.attribute:
        setattr(module.get_submodule(begun.path), begun.attribute, begun.number)
        return True
    given = () if begun.batch is None else (begun.batch,)
    try:
        getattr(module.get_submodule(begun.path), begun.method)(*given)
    except Exception:  # whatever user code raises
        return False
    return True


def note_beginning(begun: Begun | None) -> None:
    """Say which method was called first, or what was set."""
    if begun is not None and begun.attribute:
        note_assumption(
            f"{begun.attribute} = {begun.number}, which a script sets and forward reads"
        )
    elif begun is not None:
        given = "" if begun.batch is None else begun.batch
        note_assumption(f"{begun.method}({given}) was called first, which sets what forward reads")


def _sets(method: object, attribute: str) -> bool:
    """Whether a method assigns that attribute of self."""
    return any(
        isinstance(node, ast.Attribute)
        and node.attr == attribute
        and isinstance(node.ctx, ast.Store)
        and getattr(node.value, "id", "") == "self"
        for node in ast.walk(parse_source_of(method))
    )
