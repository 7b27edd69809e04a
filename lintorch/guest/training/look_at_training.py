"""What training leaves: weights, gradients, states of optimizers, and what is given back."""

from __future__ import annotations

import re
from typing import Any

import torch

from lintorch.guest.proof.observe_model import (
    OVERALL,
    TRAINING,
    Observation,
    describe_structure,
    list_state,
)
from lintorch.guest.training.make_values import Made
from lintorch.guest.watch.make_tensors import flatten_output

_RETURNED, _PRINTED = f"{TRAINING}:0:structure", f"{TRAINING}:0:print"
_HOLDS = re.compile(r"\d|'|True|False|tensor")
"""In words for what is returned: a number, a text, a truth."""


def look_at_training(made: Made, stepped: list[Any], returned: Any, printed: str) -> Observation:
    """Weights, gradients, states of optimizers and what is given back; where there is none of these, what it printed."""
    seen = Observation(runs=[{}], attempts=1)
    for name, model in made.models.items():
        for key, value in list_state(model):
            seen.tensors[f"{TRAINING}:{OVERALL}:state {name}.{key}"] = value.detach().clone()
        for key, weight in model.named_parameters():
            if weight.grad is not None:
                seen.tensors[f"{TRAINING}:{OVERALL}:gradient of {name}.{key}"] = weight.grad.clone()
    known = [each for each in made.keeping.values() if hasattr(each, "state_dict")]
    known += [each for each in stepped if not any(each is other for other in known)]
    for number, each in enumerate(known, 1):
        _look_at_state(f"{type(each).__name__} {number}", each, seen)
    for number, tensor in enumerate(flatten_output(returned), 1):
        seen.tensors[f"{TRAINING}:0:output {number}"] = tensor.detach().clone()
    seen.words[_RETURNED] = describe_structure(returned)
    if printed and not leaves_anything(seen):
        seen.words[_PRINTED] = printed
    return seen


def leaves_anything(seen: Observation) -> bool:
    """Whether there is something that could come out otherwise."""
    told = seen.words[_RETURNED]
    return bool(seen.tensors) or _PRINTED in seen.words or _HOLDS.search(told) is not None


def _look_at_state(name: str, keeping: Any, seen: Observation) -> None:
    for number, tensor in enumerate(flatten_output(keeping.state_dict())):
        seen.tensors[f"{TRAINING}:{OVERALL}:{name} state {number}"] = tensor.detach().clone()
    groups = getattr(keeping, "param_groups", ())
    rates = [float(group["lr"]) for group in groups]
    if rates:
        seen.tensors[f"{TRAINING}:{OVERALL}:{name} rates"] = torch.tensor(
            rates, dtype=torch.float64
        )
    weights = [weight for group in groups for weight in group["params"]]
    for number, weight in enumerate(weights):
        seen.tensors[f"{TRAINING}:{OVERALL}:{name} weight {number}"] = weight.detach().clone()
        if weight.grad is not None:
            key = f"{TRAINING}:{OVERALL}:{name} gradient {number}"
            seen.tensors[key] = weight.grad.detach().clone()
