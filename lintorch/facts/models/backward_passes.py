"""Which calls run backward, step or train."""

from __future__ import annotations

from lintorch.evaluator.events import Called, Occurrence
from lintorch.evaluator.unknown_objects import UnknownCalled
from lintorch.evaluator.values import Value


def is_backward_pass(event: Occurrence) -> bool:
    """Whether gradients are worked out: by a tensor, or by something unknown."""
    if isinstance(event, Called):
        return event.name in ("torch.Tensor.backward", "torch.autograd.backward")
    return isinstance(event, UnknownCalled) and event.method in ("backward", "manual_backward")


def changes_weights(event: Occurrence) -> bool:
    """Whether it is a backward pass, a step or a `fit`."""
    name = event.name if isinstance(event, Called) else getattr(event, "method", "")
    return is_backward_pass(event) or name.rpartition(".")[2] in ("step", "fit")


def list_given(event: Occurrence) -> tuple[Value, ...]:
    """The receiver of a call, if there is one, and its arguments by position."""
    if isinstance(event, UnknownCalled):
        return (event.held, *event.given.positional)
    return event.positional if isinstance(event, Called) else ()
