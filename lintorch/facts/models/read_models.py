"""Models and weights that a file holds: what is read becomes one of them."""

from __future__ import annotations

from lintorch.evaluator.events import Called
from lintorch.facts.models.carried_memory import HasEvaluation
from lintorch.facts.training.roles import Role

PICKLES = frozenset(
    f"{name}.{function}"
    for name in ("pickle", "joblib", "dill", "cloudpickle")
    for function in ("load", "loads")
)
"""Functions that unpickle a file, or bytes."""


def becomes_model(event: Called, source: HasEvaluation) -> bool:
    """Whether what is read is a model, or its weights."""
    ways, read = source.evaluation.ways, event.result
    if source.evaluation.parts.find_role(read, event) is Role.MODEL:
        return True
    loaded = any(
        e.name.endswith(".load_state_dict") for e in ways.find_users(read) if isinstance(e, Called)
    )
    return loaded or any(e.method == "load_state_dict" for e in ways.find_takers(read))
