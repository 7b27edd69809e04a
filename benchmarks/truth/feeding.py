"""How many labelled models are found, built, fed and run without a line of configuration."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from truth.ask import Asker
from truth.labels import Label

STEPS = ("found", "built", "fed", "ran", "same ranks")
"""How far a model comes; each step is part of those before."""
_REACHED = {"import": 1, "build": 1, "inputs": 2, "run": 3, "stopped": 1}
"""Steps that a model has taken which failed at a stage."""


@dataclass(frozen=True)
class Feeding:
    """How far a model came: the number of steps taken, and why it came no further."""

    label: Label
    steps: int
    cause: str
    seconds: float


def measure_feeding(labels: Iterable[Label], asker: Asker) -> Iterable[Feeding]:
    """One after the other."""
    for label in labels:
        told, seconds = asker.ask(label, "models")
        found = [each for each in told or () if each["model"].endswith(f":{label.qualname}")]
        failed = [each for each in told or () if each not in found and "cause" in each]
        yield _judge_feeding(label, (found or failed or [None])[0], seconds)


def _judge_feeding(label: Label, told: Any, seconds: float) -> Feeding:
    if told is None:
        return Feeding(label, 0, "not found", seconds)
    if "cause" in told:
        steps = 0 if told["stage"] == "import" else _REACHED[told["stage"]]
        return Feeding(label, steps, f"{told['stage']}: {told['cause']}", seconds)
    ranks = tuple(sorted(_list_ranks(told["inputs"])))
    if ranks != label.ranks:
        why = f"fed {told['inputs']}, where labels feed tensors of ranks {list(label.ranks)}"
        return Feeding(label, 4, why, seconds)
    return Feeding(label, 5, "", seconds)


def _list_ranks(inputs: Any) -> list[int]:
    """The ranks of all tensors in inputs as lintorch writes them."""
    if isinstance(inputs, dict):
        inputs = list(inputs.values())
    if isinstance(inputs, list):
        return [rank for part in inputs for rank in _list_ranks(part)]
    if not isinstance(inputs, str) or "[" not in inputs:
        return []
    shape = inputs.partition("[")[2].partition("]")[0]
    return [len([size for size in shape.split(",") if size.strip()])]
