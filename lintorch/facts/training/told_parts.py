"""The part in training that objects play, told by their class or by what is called on them, never by their names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from lintorch.evaluator.conditions import name_lasting
from lintorch.evaluator.events import Called, Occurrence
from lintorch.evaluator.unknown_objects import UnknownCalled
from lintorch.evaluator.values import UNKNOWN, Held, Unknown, Value
from lintorch.facts.training.part_values import role_of_object
from lintorch.facts.training.roles import Role

_OF_MODELS = frozenset(
    {"eval", "train", "parameters", "named_parameters", "modules", "children", "named_modules"}
)
_OF_ENGINES = frozenset({"backward", "save_checkpoint"})
_OF_OPTIMIZERS = frozenset({"step", "zero_grad"})


class ToldParts:
    """The parts of what is unknown in each root."""

    def __init__(self, events: Iterable[Occurrence]) -> None:
        self._uses: dict[tuple[str, str], set[str]] = defaultdict(set)
        for event in events:
            if isinstance(event, UnknownCalled) and event.method:
                self._uses[event.way.root, tell_apart(event.held)].add(event.method)
            elif isinstance(event, Called) and event.positional:
                held, method = event.positional[0], event.name.rpartition(".")[2]
                if method in _OF_MODELS and isinstance(held, Held):
                    self._uses[event.way.root, tell_apart(held)].add(method)

    def find_role(self, value: Value | None, event: Occurrence) -> Role | None:
        """The part of a value in the root in which something happened; None where nothing tells."""
        if value is None:
            return None
        known = role_of_object(value)
        if known is not None:
            return known
        uses = self.list_uses(value, event)
        if uses & _OF_ENGINES:
            return None
        if "unscale_" in uses or {"scale", "update"} <= uses:
            return Role.SCALER
        if uses >= _OF_OPTIMIZERS:
            return Role.OPTIMIZER
        if "get_last_lr" in uses:
            return Role.SCHEDULER
        return Role.MODEL if uses & _OF_MODELS else None

    def list_uses(self, value: Value, event: Occurrence) -> frozenset[str]:
        """The methods that are called on a value in that root."""
        key = tell_apart(value)
        return frozenset(self._uses.get((event.way.root, key), ())) if key else frozenset()


def tell_apart(value: Value) -> str:
    """What tells a value from others, "" where nothing does."""
    if value is UNKNOWN:
        return ""
    lasting = name_lasting(value)
    return lasting or (f"@{id(value)}" if isinstance(value, (Unknown, Held)) else "")
