"""What losses are given where torch refuses it: two rules tell of refusals, and each of its own."""

from __future__ import annotations

from lintorch.evaluator.events import Refused
from lintorch.evaluator.sizes import Dim
from lintorch.evaluator.values import Tensor

REFUSING = (
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "cross_entropy",
    "nll_loss",
)
REFUSING_LAYERS = ("BCELoss", "BCEWithLogitsLoss", "CrossEntropyLoss", "NLLLoss")
_NAMES = frozenset(
    {
        *(f"torch.nn.functional.{name}" for name in REFUSING),
        *(f"torch.nn.{name}" for name in REFUSING_LAYERS),
    }
)


def find_unfit_operands(event: Refused) -> tuple[tuple[Dim, ...], tuple[Dim, ...]] | None:
    """The shapes of the input and the target of a loss that do not fit; None where something else is wrong."""
    shapes = [each.shape for each in event.operands[:2] if isinstance(each, Tensor)]
    other = any(word in event.message for word in ("reduction", "weight"))
    if event.name not in _NAMES or not event.founded or other:
        return None
    if len(shapes) < 2 or shapes[0] is None or shapes[1] is None:
        return None
    return shapes[0], shapes[1]
