"""The mode of a model, training or eval: whether it may be another than code that is followed says, and what hangs on it."""

from __future__ import annotations

from collections.abc import Collection

from lintorch.core.profile import enumerate_names
from lintorch.evaluator.events import Called, Occurrence
from lintorch.evaluator.unknown_objects import UnknownCalled
from lintorch.evaluator.values import Value
from lintorch.facts.models.evaluation import Evaluation

_QUIET = frozenset(
    {
        "print", "len", "sum", "type", "isinstance", "id", "next", "list", "filter", "map", "str",
        "summary", "profile", "FlopCountAnalysis", "hasattr", "getattr",
        "partial",
    }
)  # fmt: skip
"""Functions that leave the mode of a model as it is."""


def may_have_changed(model: Value, event: Occurrence, evaluation: Evaluation) -> bool:
    """Whether code that is not seen was given the model before, and may have set its mode."""
    for each in evaluation.list_before(event):
        if isinstance(each, UnknownCalled) and model in each.given.values:
            return True
        if isinstance(each, Called) and model in (*each.positional, *each.keyword.values()):
            method = each.name.rpartition(".")[2]
            known = each.name.startswith(("torch.", "copy.")) or method in _QUIET
            if not known and each.node is not event.node:
                return True
    return False


def tell_dependence(layers: Collection[str]) -> str:
    """`BatchNorm2d and Dropout depend`."""
    return f"{enumerate_names(sorted(layers))} depend{'s' if len(layers) == 1 else ''}"
