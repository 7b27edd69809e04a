"""What a tensor went through: the operations that gave it, last first, through moves, models and branches."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from lintorch.evaluator.events import (
    AttributeRead,
    Called,
    Combined,
    Decided,
    Indexed,
    Occurrence,
)
from lintorch.evaluator.run_model import Reached
from lintorch.evaluator.unknown_objects import ModelOutput, UnknownCalled
from lintorch.evaluator.values import (
    Choice,
    Class,
    Held,
    Items,
    Tensor,
    Value,
)
from lintorch.facts.models.value_ways import Operation, ValueWays

MOVES = frozenset(
    {
        "view", "reshape", "flatten", "unflatten", "squeeze", "unsqueeze", "permute", "transpose",
        "contiguous", "to", "cpu", "cuda", "clone", "detach", "getitem", "t", "movedim",
        "view_as", "reshape_as", "ravel", "T", "mT", "data", "identity", "narrow", "select",
        "dropout", "dropout2d", "alphadropout",
    }
)  # fmt: skip
"""What leaves the numbers of a tensor as they are, or some of them out."""
_SPELLED = {
    "logsoftmax": "log_softmax", "expit": "sigmoid", "softmax2d": "softmax", "__getitem__": "getitem",
}  # fmt: skip
_DEEPEST = 24
_MOST_ARMS = 16


@dataclass(frozen=True)
class Step:
    """One operation: its name as a function of torch (`softmax`, `linear`), and what happened."""

    name: str
    event: Operation | UnknownCalled


class OperationSteps:
    """Follows tensors of one file backwards."""

    def __init__(self, path: str, reached: Sequence[Reached], ways: ValueWays) -> None:
        self._path = path
        self._reached = reached
        self._ways = ways

    @cached_property
    def _given_back(self) -> dict[str, Value]:
        """By the names of classes what their forwards give, where that is the same in training."""
        return {
            each.name: each.result
            for each in self._reached
            if not each.ordered and not any(map(_asks_mode, each.events))
        }

    def list_steps(self, value: Value | None) -> tuple[Step, ...]:
        """As far back as they are the same on all branches."""
        rows = [[*self._walk(each, 0)] for each in self._list_arms(value)]
        if not rows:
            return ()
        common: list[Step] = []
        for steps in zip(*rows, strict=False):
            if len({each.name for each in steps}) != 1:
                break
            common.append(steps[0])
        return tuple(common)

    def last_names(self, value: Value | None, passed: frozenset[str] = MOVES) -> frozenset[str]:
        """On each branch the last operation that is none of those passed over; "" where it is not known."""
        return frozenset(
            next((step.name for step in self._walk(each, 0) if step.name not in passed), "")
            for each in self._list_arms(value)
        )

    def _walk(self, value: Value, depth: int) -> Iterator[Step]:
        for _ in range(_DEEPEST):
            step = self._find_step(value)
            if step is None or self._is_written_to(value):
                return
            yield step
            given = find_operand(step.event)
            arms = [*self._list_arms(given)]
            if len(arms) != 1:
                if depth < 2:
                    yield from self._walk_common(arms, depth + 1)
                return
            value = arms[0]

    def _walk_common(self, arms: list[Value], depth: int) -> Iterator[Step]:
        rows = [[*self._walk(each, depth)] for each in arms]
        for steps in zip(*rows, strict=False):
            if len({each.name for each in steps}) != 1:
                return
            yield steps[0]

    def _find_step(self, value: Value) -> Step | None:
        made = self._ways.find_maker(value)
        if made is not None:
            return Step(name_operation(made), made)
        called = self._ways.find_unknown_maker(value)
        if called is not None and called.method:
            return Step(name_operation(called), called)
        return None

    def _is_written_to(self, value: Value) -> bool:
        """Whether an operation has changed a tensor in place: its name still stands for it."""
        for each in self._ways.find_users(value):
            last = each.name.rpartition(".")[2] if isinstance(each, Called) else ""
            if last.endswith("_") and not last.startswith("_") and each.result is not value:
                return last not in _HARMLESS
        return False

    def _list_arms(self, value: Value | None) -> Iterator[Value]:
        """The values that it may be, on branches and by the models that give it."""
        waiting, seen = [value], 0
        while waiting and seen < _MOST_ARMS:
            each = waiting.pop()
            seen += 1
            if isinstance(each, ModelOutput):
                given = [*self.list_outputs(each)]
                waiting += given
                if not given:
                    yield each
            elif isinstance(each, Choice):
                waiting += each.alternatives
            elif isinstance(each, Tensor) and each.arms and self._find_step(each) is None:
                waiting += each.arms
            elif each is not None:
                yield each

    def list_outputs(self, output: ModelOutput) -> Iterator[Value]:
        """What the forward of a class of the file gives there, if that is known."""
        model = output.model
        kind = model.of if isinstance(model, Held) else None
        if not isinstance(kind, Class) or kind.file.path != self._path:
            return
        value = self._given_back.get(kind.name)
        if isinstance(value, Items) and output.item is not None:
            yield from (value.items or ())[output.item :][:1]
        elif value is not None and output.item is None:
            yield value


def _asks_mode(event: Occurrence) -> bool:
    """Whether a forward that is exported does something else in training."""
    return (
        isinstance(event, Decided)
        and event.way.forward
        and any(getattr(each, "attr", "") == "training" for each in ast.walk(event.node))
    )


_HARMLESS = frozenset({"requires_grad_", "retain_grad_", "share_memory_", "record_stream_"})


def name_operation(event: Operation | UnknownCalled) -> str:
    """`softmax` of `torch.nn.functional.softmax`, `torch.nn.Softmax.forward` and `torch.Tensor.softmax`."""
    if isinstance(event, Called):
        layer = event.name.endswith(".forward")
        last = event.name.removesuffix(".forward").rpartition(".")[2]
        name = last.lower() if layer else last
        return _SPELLED.get(name, name)
    if isinstance(event, UnknownCalled):
        return _SPELLED.get(event.method, event.method)
    if isinstance(event, AttributeRead):
        return event.attribute
    if isinstance(event, Indexed):
        return "getitem"
    return event.operator if isinstance(event, Combined) else ""


def find_operand(event: Operation | UnknownCalled) -> Value | None:
    """The tensor that an operation works on."""
    if isinstance(event, (AttributeRead, Indexed, UnknownCalled)):
        return event.held
    if isinstance(event, Combined):
        return event.left
    layer = event.name.endswith(".forward")
    given = (*event.positional[layer:], *event.keyword.values())
    return given[0] if given else None
