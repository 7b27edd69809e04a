"""What torch.load refuses to read by itself, other than models: by the value that was saved."""

from __future__ import annotations

import ast
from typing import Protocol

from lintorch.evaluator.events import Occurrence
from lintorch.evaluator.objects import list_ancestors
from lintorch.evaluator.torch_version import VersionText
from lintorch.evaluator.values import (
    Array,
    Bound,
    Class,
    Constant,
    External,
    Function,
    Held,
    Items,
    Slice,
    Unknown,
    Value,
)
from lintorch.facts.training.roles import Role
from lintorch.facts.training.told_parts import ToldParts

_DATES = ("now", "today", "utcnow", "fromtimestamp")
_BY_PATH = {
    **{
        f"datetime.{kind}.{name}()": ("a date", "its isoformat()")
        for kind in ("datetime", "date", "datetime.datetime", "datetime.date")
        for name in _DATES
    },
    "collections.deque()": ("a deque", "list() of it"),
}
_BY_CLASS = (
    ("torch.utils.data.", "a dataset or loader", "its tensors"),
    ("torch.Generator", "a torch.Generator", "its get_state()"),
    ("pathlib.", "a path", "str() of it"),
    ("collections.namedtuple", "a named tuple", "tuple() of it"),
    ("types.SimpleNamespace", "a SimpleNamespace", "vars() of it"),
)
"""By what the full name of a class begins with."""
_BY_KIND = {"range": ("a range", "list() of it"), "frozenset": ("a frozenset", "set() of it")}
_PARTS = {
    Role.OPTIMIZER: "a whole optimizer",
    Role.SCHEDULER: "a whole scheduler",
    Role.SCALER: "a whole scaler",
}
_STATE = "its state_dict()"
_DEEPEST = 4


class HasParts(Protocol):
    """What knows which values are optimizers."""

    @property
    def parts(self) -> ToldParts:
        """By class, or by what is called on them."""


def find_refused(
    value: Value, event: Occurrence, known: HasParts, depth: int = 0
) -> tuple[str, str] | None:
    """What a value is, or holds, that is refused, and what to save instead; None where it is not known to be."""
    if isinstance(value, Items):
        return _BY_KIND.get(value.kind) or _find_item(value, event, known, depth)
    if isinstance(value, Held):
        return _find_object(value, event, known)
    if isinstance(value, Unknown):
        return _BY_PATH.get(value.path) or _find_part(value, event, known)
    if isinstance(value, Constant) and isinstance(value.value, VersionText):
        return "torch.__version__, which is an object", "str() of it"
    if isinstance(value, Array):
        return "a numpy value", "a tensor, or .item() of it"
    if isinstance(value, Class):
        return "a class", "its name"
    if isinstance(value, Function) or (isinstance(value, Bound) and not value.method):
        return "a function", "its name"
    return ("a slice", "its ends") if isinstance(value, Slice) else None


def _find_item(
    value: Items, event: Occurrence, known: HasParts, depth: int
) -> tuple[str, str] | None:
    if depth < _DEEPEST:
        for each in value.items or ():
            if found := find_refused(each, event, known, depth + 1):
                return found
    return None


def _find_object(held: Held, event: Occurrence, known: HasParts) -> tuple[str, str] | None:
    if held.kind != "object":
        return None
    if part := _find_part(held, event, known):
        return part
    if isinstance(held.of, External):
        for begins, kind, instead in _BY_CLASS:
            if held.of.path.startswith(begins):
                return kind, instead
        return None
    own = [each for each in list_ancestors(held.of) if isinstance(each, Class)]
    if not own or any(_reduces(each.node) for each in own):
        return None
    return f"an object of class {own[0].name}", "what it holds, as a dictionary"


def _find_part(value: Value, event: Occurrence, known: HasParts) -> tuple[str, str] | None:
    part = known.parts.find_role(value, event)
    return (_PARTS[part], _STATE) if part in _PARTS else None


def _reduces(node: ast.ClassDef) -> bool:
    """Whether a class says itself what is written of its objects."""
    return any(getattr(each, "name", "").startswith("__reduce") for each in node.body)
