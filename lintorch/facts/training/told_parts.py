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
_GIVE_ITSELF = frozenset(
    {"eval", "train", "to", "cuda", "cpu", "half", "float", "double", "bfloat16", "requires_grad_"}
)
"""Methods after which a model is at hand again; `to` and the like give another tensor."""
_LONGEST = 4


class ToldParts:
    """The parts of what is unknown in each root."""

    def __init__(self, events: Iterable[Occurrence]) -> None:
        self._uses: dict[tuple[str, str], set[str]] = defaultdict(set)
        self._before: dict[tuple[str, str], Value] = {}
        for event in events:
            if isinstance(event, UnknownCalled) and event.method:
                self._uses[event.way.root, tell_apart(event.held)].add(event.method)
                if event.method in _GIVE_ITSELF:
                    self._before[event.way.root, tell_apart(event.result)] = event.held
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
        return Role.MODEL if uses & _OF_MODELS or self._was_model(value, event) else None

    def _was_model(self, value: Value, event: Occurrence) -> bool:
        """Whether it is `model.eval()`, `model.to(device).train()`."""
        for _ in range(_LONGEST):
            before = self._before.get((event.way.root, tell_apart(value)))
            if before is None:
                return False
            if self.list_uses(before, event) & _OF_MODELS:
                return True
            value = before
        return False

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
