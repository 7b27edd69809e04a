"""Outputs of transformers and its kin: objects whose fields are read by name, by key and by place."""

from __future__ import annotations

import ast
import re

from lintorch.evaluator.machine import Machine
from lintorch.evaluator.objects import list_ancestors
from lintorch.evaluator.values import (
    NONE,
    UNKNOWN,
    Class,
    Constant,
    External,
    Given,
    Held,
    Value,
)

_OUTPUTS = re.compile(r"(?:transformers|diffusers)\..*Output(?:With\w+)?")

_ROOTS = (".ModelOutput", ".BaseOutput")
"""Bases without fields of their own."""


def is_output(kind: Class | External | None) -> bool:
    """Whether objects of a class are such, which give their tensors by to_tuple()."""
    foreign = (each.path for each in list_ancestors(kind) if isinstance(each, External))
    return any(map(_OUTPUTS.fullmatch, foreign))


def make_output(machine: Machine, path: str, given: Given) -> Held:
    """`BaseModelOutput(last_hidden_state=x)`: what was given by name is read by name."""
    fields = {} if given.open else dict(given.keyword)
    return machine.hold("object", {**fields, "lintorch arguments": given}, External(path))


def read_field(machine: Machine, held: Held, index: Value) -> Value:
    """`output[0]`, `output["logits"]`: those that are None have no place."""
    if not isinstance(index, Constant):
        return UNKNOWN
    if isinstance(index.value, str):
        found = machine.state.read(held.address).get(index.value)
        return found if isinstance(found, Value) else UNKNOWN
    there = [value for value in _list_fields(machine, held) if value != NONE]
    sure = type(index.value) is int and UNKNOWN not in there
    return there[index.value] if sure and -len(there) <= index.value < len(there) else UNKNOWN


def _list_fields(machine: Machine, held: Held) -> list[Value]:
    """In the order in which the class has them; none of a foreign one where that is not known."""
    content = machine.state.read(held.address)
    if isinstance(held.of, Class):
        named = [each.target for each in held.of.node.body if isinstance(each, ast.AnnAssign)]
        given = [content.get(each.id, NONE) for each in named if isinstance(each, ast.Name)]
        root = [each for each in held.of.bases if isinstance(each, External) and each.path.endswith(_ROOTS)]  # fmt: skip
        return given if len(held.of.bases) == len(root) == 1 else []
    made = content.get("lintorch arguments")
    alone = isinstance(made, Given) and not made.open and len(made.values) == 1
    return [*made.values] if alone and isinstance(made, Given) else []
