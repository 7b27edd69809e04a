"""What part in training a name plays: the optimizer, the scaler, the loss, a loader, a model."""

from __future__ import annotations

import re
from enum import Enum
from typing import TYPE_CHECKING

import libcst as cst

from lintorch.facts.classes.model_classes import is_module_class, is_subclass
from lintorch.facts.project.files import home

if TYPE_CHECKING:
    from lintorch.source import Source


class Role(Enum):
    """The parts that objects play in a training script."""

    OPTIMIZER = "optimizer"
    SCHEDULER = "scheduler"
    SCALER = "scaler"
    LOSS = "loss"
    MODEL = "model"
    LOADER = "loader"
    DATASET = "dataset"


_BASES = {
    Role.OPTIMIZER: ("torch.optim.Optimizer",),
    Role.SCHEDULER: (
        "torch.optim.lr_scheduler.LRScheduler",
        "torch.optim.lr_scheduler._LRScheduler",
    ),
    Role.DATASET: ("torch.utils.data.Dataset", "torch.utils.data.IterableDataset"),
    Role.LOADER: ("torch.utils.data.DataLoader",),
}
_NAMES = {
    Role.OPTIMIZER: re.compile(r"^(\w+_)?(optimi[sz]er|optim|opt)(_\w+)?$", re.I),
    Role.SCHEDULER: re.compile(r"^(\w+_)?(scheduler|sched)(_\w+)?$", re.I),
    Role.SCALER: re.compile(r"^(grad_?|amp_?|loss_)?scaler$", re.I),
    Role.LOSS: re.compile(r"^(\w+_)?(criterion|loss_?(fn|func|function))(_\w+)?$", re.I),
    Role.MODEL: re.compile(r"^(\w+_)?(model|net|network|generator|discriminator)$", re.I),
    Role.LOADER: re.compile(r"^(\w+_?)?(loader|dataloader|dl)(_\w+)?$", re.I),
    Role.DATASET: re.compile(r"^(\w+_)?(dataset|ds|trainset|testset|valset)(_\w+)?$", re.I),
}
_TYPICAL = {
    Role.OPTIMIZER: ("zero_grad", "step"),
    Role.SCHEDULER: ("step", "get_last_lr"),
    Role.SCALER: ("scale", "unscale_"),
    Role.MODEL: ("eval", "train", "parameters", "state_dict", "load_state_dict"),
}
"""Methods that a thing of this name is called with where it is what its name says."""


def of_class(dotted: str, source: Source) -> Role | None:
    """The role of what a class of this full name makes."""
    short = dotted.rpartition(".")[2]
    if dotted.startswith("torch.optim.lr_scheduler."):
        return Role.SCHEDULER
    if dotted.startswith("torch.optim.") and short[:1].isupper():
        return Role.OPTIMIZER
    if dotted.startswith("torch.") and short.endswith("GradScaler"):
        return Role.SCALER
    if dotted.startswith("torch.nn.") and short.endswith("Loss"):
        return Role.LOSS
    for role, bases in _BASES.items():
        if is_subclass(dotted, bases, home(source.path), source.consulted):
            return role
    if is_module_class(dotted, home(source.path), source.consulted):
        return Role.LOSS if short.endswith(("Loss", "Criterion")) else Role.MODEL
    return None


class Roles:
    """The roles of the names and attributes of one file."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._known: dict[tuple[cst.CSTNode | None, str], Role | None] = {}

    def made(self, expression: cst.CSTNode) -> Role | None:
        """The role told by what built it: a constructor, or an annotation."""
        built = self._source.built(expression)
        roles = {of_class(self._source.name(call.func), self._source) for call in built}
        if len(roles) == 1:
            return roles.pop()
        return None if roles else self._annotated(expression)

    def presumed(self, expression: cst.CSTNode) -> Role | None:
        """The role told by what built it, else by its name where it is used as such a thing is."""
        if role := self.made(expression):
            return role
        if isinstance(expression, cst.Attribute):
            name, text = expression.attr.value, self._source.code(expression)
        elif isinstance(expression, cst.Name):
            name = text = expression.value
        else:
            return None
        scope = self._source.enclosing(expression, cst.ClassDef, cst.FunctionDef)
        if (scope, text) not in self._known:
            self._known[scope, text] = self._by_name(name, text)
        return self._known[scope, text]

    def _by_name(self, name: str, text: str) -> Role | None:
        for role, pattern in _NAMES.items():
            if pattern.match(name):
                typical = _TYPICAL.get(role, ())
                used = any(f"{text}.{method}" in self._source.text for method in typical)
                return role if used or not typical else None
        return None

    def _annotated(self, expression: cst.CSTNode) -> Role | None:
        """Of a parameter `optimizer: torch.optim.Optimizer`."""
        if not isinstance(expression, cst.Name):
            return None
        bound = self._source.bound(expression)
        param = bound[0].node if len(bound) == 1 else None
        if not isinstance(param, cst.Param) or param.annotation is None:
            return None
        return of_class(self._source.name(param.annotation.annotation), self._source)
