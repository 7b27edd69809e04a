"""Losses that give one number for each element."""

from __future__ import annotations

from lintorch.evaluator.events import Called
from lintorch.evaluator.values import Constant
from lintorch.facts.models.operation_steps import name_operation

_LOSSES = ("loss", "entropy", "kl_div", "entropy_with_logits")


def is_unreduced(made: Called) -> bool:
    """A loss with reduction="none"; which shape it gives, its input says."""
    if made.name.startswith("torch.nn.") and made.name.endswith("Loss.forward"):
        return made.settings.get("reduction") == Constant("none")
    functional = made.name.startswith("torch.nn.functional.")
    loss = functional and name_operation(made).endswith(_LOSSES)
    return loss and made.keyword.get("reduction") == Constant("none")
