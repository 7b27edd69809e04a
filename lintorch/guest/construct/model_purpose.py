"""What a model is for: what judges another one in training is a loss, a metric or a discriminator."""

from __future__ import annotations

import re
from collections.abc import Callable

from torch import nn

from lintorch.guest.construct.class_uses import ClassUses
from lintorch.record.models import Input, Model, Purpose

_LOSS = re.compile(r"(Loss|LossFunction|Criterion)(\d|V\d|\dD|\dd)?$|(^|_)loss(es)?(_|$)")
_METRIC = re.compile(r"(Metric|SSIM|PSNR|LPIPS|FID)s?$")
_DISCRIMINATOR = re.compile(r"Discriminator")
_HELD_AS: tuple[tuple[Purpose, re.Pattern[str]], ...] = (
    (
        "loss",
        re.compile(r"(\w+_)?(criterion|criteria|loss|losses)(_?(fn|func|function))?\d*", re.I),
    ),
    ("discriminator", re.compile(r"(\w+_)?(discriminators?|disc|net_?d|critic)\d*", re.I)),
)
"""Names of what a project holds such a thing by."""
_PREDICTED = re.compile(r"(\w*_)?(preds?|predictions?|logits?|outputs?|y_pred|y_hat|scores?)")
_TARGET = re.compile(r"(\w*_)?(targets?|labels?|gt|y_true|truth|ground_truth)")


def find_purpose(
    module: nn.Module, model: Model, uses: ClassUses, gives_scalar: Callable[[], bool]
) -> Purpose:
    """What a model that runs is for; "" for one that may be deployed, as one that is exported is.

    `gives_scalar` says of its output whether that is numbers without dimensions; it costs a run.
    """
    if uses.exported:
        return ""
    kinds = [kind for kind in type(module).__mro__ if kind not in nn.Module.__mro__]
    if any(
        kind.__module__ == "torch.nn.modules.loss" or _LOSS.search(kind.__name__) for kind in kinds
    ):
        return "loss"
    if any(_DISCRIMINATOR.search(kind.__name__) for kind in kinds):
        return "discriminator"
    if held := _find_only_holder(uses):
        return held
    tensors = [given.name for given in model.inputs if isinstance(given, Input)]
    if len(tensors) > 1 and any(_METRIC.search(kind.__name__) for kind in kinds):
        return "metric"
    if _takes_target(tensors, model):
        return "loss"
    several = len(tensors) > 1 or not model.parameters
    return "loss" if several and gives_scalar() else ""


def _find_only_holder(uses: ClassUses) -> Purpose:
    """What all names that hold an instance say it is."""
    for purpose, pattern in _HELD_AS:
        if uses.names and all(map(pattern.fullmatch, uses.names)):
            return purpose
    return ""


def _takes_target(named: list[str], model: Model) -> bool:
    """Whether a prediction and a target are taken, or a target by a model without weights."""
    target = any(map(_TARGET.fullmatch, named[1:]))
    judged = len(named) == 2 and bool(_PREDICTED.fullmatch(named[0]))
    return target and (judged or not model.parameters)
