"""The tensors within a value, by dotted names, in the order of the file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from lintorch.checkpoint.limits import MOST_DEPTH, MOST_VISITS, CheckpointError
from lintorch.checkpoint.rebuild_tensor import describe_array
from lintorch.checkpoint.values import Items, Made, Storage, Table, Tensor, Value

_SCRIPTED = "__torch__."
_MODULE_PARTS = ("_parameters", "_buffers", "_modules")


@dataclass
class VisitBudget:
    """Values that may still be looked into: a small file can describe endlessly many."""

    left: int = MOST_VISITS
    inside: set[int] = field(default_factory=set)
    """Those that are being looked into: one that holds itself is not entered again."""

    def enter(self, value: Value, fields: int) -> bool:
        """Whether a value with so many fields is to be looked into. Raises CheckpointError."""
        self.left -= 1 + fields
        if self.left < 0:
            raise CheckpointError(f"it describes more than {MOST_VISITS:,} values")
        if len(self.inside) > MOST_DEPTH:
            raise CheckpointError(f"it nests values more than {MOST_DEPTH} deep")
        if id(value) in self.inside:
            return False
        self.inside.add(id(value))
        return True

    def leave(self, value: Value) -> None:
        """It has been looked into."""
        self.inside.discard(id(value))


def list_fields(value: Value) -> list[tuple[str, Value]]:
    """What a dict, list, tuple or object holds, by name."""
    if isinstance(value, Table):
        return [(_name_key(key), each) for key, each in value.pairs]
    if isinstance(value, Items):
        return [(str(number), each) for number, each in enumerate(value.items)]
    if isinstance(value, tuple):
        return [(str(number), each) for number, each in enumerate(value)]
    if isinstance(value, Made):
        return list(_list_attributes(value))
    return []


def list_tensors(value: Value, budget: VisitBudget, name: str = "") -> Iterator[tuple[str, Tensor]]:
    """All tensors within, also those of arrays and bare storages. Raises CheckpointError."""
    found = as_tensor(value)
    if found is not None:
        yield name, found
        return
    fields = list_fields(value)
    if not fields or not budget.enter(value, len(fields)):
        return
    for key, each in fields:
        yield from list_tensors(each, budget, f"{name}.{key}" if name else key)
    budget.leave(value)


def as_tensor(value: Value) -> Tensor | None:
    """A tensor, or what is like one."""
    if isinstance(value, Storage):
        return Tensor((value.count,), value.dtype, (1,), 0, value, value.device, kind="storage")
    return value if isinstance(value, Tensor) else describe_array(value)


def is_module(value: Value) -> bool:
    """Whether it is a whole torch.nn.Module, or one of a TorchScript archive."""
    if not isinstance(value, Made) or not isinstance(value.state, Table):
        return False
    return value.path.startswith(_SCRIPTED) or isinstance(value.state.get("_modules"), Table)


def _list_attributes(made: Made) -> Iterator[tuple[str, Value]]:
    """Of a module, its parameters, buffers and parts; else its state and arguments."""
    state = made.state
    if is_module(made) and isinstance(state, Table) and not made.path.startswith(_SCRIPTED):
        for part in _MODULE_PARTS:
            yield from list_fields(state.get(part))
        return
    if isinstance(state, Table):
        yield from list_fields(state)
    elif isinstance(state, tuple):
        yield from (pair for each in state if isinstance(each, Table) for pair in list_fields(each))
    elif state is None:
        yield from list_fields(made.arguments)
    yield from ((_name_key(key), each) for key, each in made.pairs)
    yield from ((str(number), each) for number, each in enumerate(made.items))


def _name_key(key: Value) -> str:
    if isinstance(key, bytes):
        return key.decode("utf-8", "replace")
    return str(key) if isinstance(key, (str, int, float)) else "?"
