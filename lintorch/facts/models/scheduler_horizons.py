"""For how many steps a learning-rate scheduler is made, and how often it steps."""

from __future__ import annotations

from collections.abc import Iterator

from lintorch.evaluator.conditions import name_lasting
from lintorch.evaluator.events import Called, Combined, Repeated
from lintorch.evaluator.given_arguments import name_given
from lintorch.evaluator.values import NONE, UNKNOWN, Constant, External, Held, Value
from lintorch.facts.models.evaluation import Evaluation
from lintorch.facts.training.acts import STEPS, Act
from lintorch.facts.training.training_actions import Action
from lintorch.facts.training.training_regions import Training, TrainingRegion

_HORIZONS = {
    "CosineAnnealingLR": "T_max",
    "OneCycleLR": "total_steps",
    "LinearLR": "total_iters",
    "PolynomialLR": "total_iters",
}
_OF_BATCHES = {**_HORIZONS, "OneCycleLR": "steps_per_epoch"}
"""What is given the number of batches, where a scheduler is to step at each."""


def find_making(action: Action, evaluation: Evaluation) -> Called | None:
    """The call that made a scheduler."""
    held = action.value
    if not isinstance(held, Held) or not isinstance(held.of, External):
        return None
    made = evaluation.ways.find_maker(held)
    return made if isinstance(made, Called) and made.name == held.of.path else None


def find_horizon(made: Called) -> Value | None:
    """For how many steps it is made."""
    name = _HORIZONS.get(made.name.rpartition(".")[2])
    found = name_given(made).get(name) if name is not None else None
    return None if found is None or found == NONE else found


def judge_horizon(
    action: Action, region: TrainingRegion, made: Called, horizon: Value, evaluation: Evaluation
) -> tuple[str, str] | None:
    """What the horizon counts in place of what the scheduler does, and what to write."""
    name = _HORIZONS[made.name.rpartition(".")[2]]
    if _counts_epochs(action, region, horizon, evaluation):
        raising = ": it raises there" if name == "total_steps" else ""
        return (
            f"steps at every batch, {name} is the number of epochs{raising}",
            f"write {name}=epochs * len(loader), or step after the loop",
        )
    steps = region.list_acts(*STEPS)
    counted = bool(steps) and all(region.counts(each) for each in steps)
    divided = evaluation.ways.find_maker(horizon)
    is_quotient = isinstance(divided, Combined) and divided.operator in ("FloorDiv", "Div")
    if counted and region.always(action) and is_quotient:
        return (
            f"steps at every micro-batch, {name} counts those at which the optimizer steps",
            "step it with the optimizer",
        )
    return None


def _counts_epochs(
    action: Action, region: TrainingRegion, horizon: Value, evaluation: Evaluation
) -> bool:
    """Whether the loop around that over the batches takes as many turns."""
    loops = [*evaluation.list_loops(action.at)]
    if not loops or loops[0] is not region.node:
        return False
    return any(
        (stop := _find_stop(each, evaluation)) is not None and _is_same(stop, horizon, evaluation)
        for each in evaluation.list_repeated(action.at.way.root)
        if each.loop in loops[1:]
    )


def _find_stop(event: Repeated, evaluation: Evaluation) -> Value | None:
    """`n` of `range(n)` and `range(start, n)`."""
    made = evaluation.ways.find_maker(event.over)
    if not isinstance(made, Called) or made.name != "range" or not made.positional:
        return None
    return made.positional[min(1, len(made.positional) - 1)]


def _is_same(value: Value, other: Value, evaluation: Evaluation) -> bool:
    """Whether two numbers are one: of what is not known, what lasts under one name."""
    made = [evaluation.ways.find_maker(each) for each in (value, other)]
    if made[0] is not made[1]:
        return False
    if isinstance(value, Constant) and isinstance(other, Constant):
        return type(value.value) is int and value.value == other.value and value.value > 1
    lasting = name_lasting(value)
    return value is not UNKNOWN and (
        value is other or (bool(lasting) and lasting == name_lasting(other))
    )


def list_rare(training: Training, evaluation: Evaluation) -> Iterator[tuple[Action, str]]:
    """Steps behind a loop over batches of what is made for all batches, and never steps in one; with the argument."""
    loops = [each for each in training.regions if each.is_loop and each.has(Act.BACKWARD)]
    inner = [each for each in loops if not each.holds_loop and each.has(*STEPS)]
    often = {action.on for each in inner for action in each.list_acts(Act.SCHEDULE)}
    for action in training.actions:
        made = find_making(action, evaluation) if action.act is Act.SCHEDULE else None
        if made is None or action.on in often or not _is_behind(action, inner, evaluation):
            continue
        name = _OF_BATCHES.get(made.name.rpartition(".")[2], "")
        if _counts_batches(name_given(made).get(name), evaluation):
            yield action, name


def _is_behind(action: Action, inner: list[TrainingRegion], evaluation: Evaluation) -> bool:
    """Whether it comes after one of the loops, at each turn of a loop around that."""
    around = {id(each) for each in evaluation.list_loops(action.at)}
    return bool(around) and any(
        id(region.node) not in around
        and around <= {id(each) for each in evaluation.list_loops(region.actions[0].at)}
        for region in inner
    )


def _counts_batches(horizon: Value | None, evaluation: Evaluation) -> bool:
    """Whether it is `len(loader)`, or so many times another number."""
    made = evaluation.ways.find_maker(horizon)
    if isinstance(made, Combined) and made.operator == "Mult":
        return any(_counts_batches(each, evaluation) for each in (made.left, made.right))
    return isinstance(made, Called) and made.name.rpartition(".")[2] in ("len", "__len__")
