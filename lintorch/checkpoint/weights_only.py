"""What `torch.load(weights_only=True)` refuses in a pickle, seen as its opcodes are read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from lintorch.checkpoint.admitted_globals import ADMITTED, SUPPORTED_OPCODES
from lintorch.checkpoint.limits import MOST_GLOBALS, CheckpointError
from lintorch.checkpoint.values import Global, Items, Made, Table, Tensor, Value

_SETTABLE = {"dict", "collections.OrderedDict", "collections.Counter"}


@dataclass
class WeightsOnly:
    """What it meets, in the order of the file."""

    refused: dict[Global, None] = field(default_factory=dict)
    """Classes and functions that it does not take unless it is told to."""
    called: set[Global] = field(default_factory=set)
    """Those that the file calls."""
    array_types: dict[str, None] = field(default_factory=dict)
    """Codes of the NumPy types that it builds, such as `f8`: each has a class of its own."""
    obstacles: dict[str, None] = field(default_factory=dict)
    """What it does not take even then, in words."""

    @classmethod
    def join(cls, parts: Iterable[WeightsOnly]) -> WeightsOnly:
        """What it meets in any of several files."""
        whole = cls()
        for part in parts:
            whole.refused |= part.refused
            whole.called |= part.called
            whole.array_types |= part.array_types
            whole.obstacles |= part.obstacles
        return whole

    def see_opcode(self, name: str) -> None:
        """An opcode."""
        if name not in SUPPORTED_OPCODES and name != "EMPTY_SET":
            self.obstacles[f"the pickle opcode {name}"] = None

    def see_global(self, found: Global) -> None:
        """A class or function is named. Raises CheckpointError."""
        if found.path not in ADMITTED:
            self.refused[found] = None
            if len(self.refused) > MOST_GLOBALS:
                raise CheckpointError(f"its pickle names more than {MOST_GLOBALS:,} classes")

    def see_call(self, made: Made) -> None:
        """A class or function is called, or what is none."""
        if isinstance(made.function, Global):
            self.called.add(made.function)
        else:
            self.obstacles["a call of what another call gave"] = None

    def see_append(self, target: Items | Made) -> None:
        """Items are added."""
        if not isinstance(target, Items) or target.kind != "list":
            self.obstacles[f"items added to a {_kind_of(target)}"] = None

    def see_setting(self, target: Table | Made) -> None:
        """Keys are set."""
        if not isinstance(target, Table) or target.kind not in _SETTABLE:
            self.obstacles[f"keys set in a {_kind_of(target)}"] = None

    def see_state(self, target: Value, state: Value) -> None:
        """An object is given its state."""
        if isinstance(target, Made) and target.path == "numpy.dtype":
            given = target.arguments
            if isinstance(given, tuple) and given and isinstance(given[0], str):
                self.array_types[given[0][:40]] = None
        elif isinstance(target, Table) and target.kind == "dict":
            self.obstacles["attributes set on a dict"] = None
        elif isinstance(target, Made) and not target.path:
            self.obstacles["attributes set on what is no object of a class"] = None
        elif isinstance(target, Tensor) and target.kind == "numpy":
            self.obstacles["attributes set on an array"] = None


def _kind_of(target: Value) -> str:
    if isinstance(target, Made):
        return target.path or "what a call gave"
    return str(target.kind)
