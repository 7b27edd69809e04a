"""What part in training a name plays: the optimizer, the scaler, the loss, a loader, a model."""

from __future__ import annotations

import re
from enum import Enum

import libcst as cst

from lintorch.facts.classes.classes import Classes, HasClasses
from lintorch.facts.names.lookup import Lookup
from lintorch.syntax.parsed_file import ParsedFile


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


def role_of_class(dotted: str, source: HasClasses) -> Role | None:
    """The role of what a class of this full name makes."""
    return _role_of(dotted, source.classes)


def _role_of(dotted: str, classes: Classes) -> Role | None:
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
        if classes.is_subclass(dotted, bases):
            return role
    if classes.is_module_class(dotted):
        return Role.LOSS if short.endswith(("Loss", "Criterion")) else Role.MODEL
    return None


class Roles:
    """The roles of the names and attributes of one file."""

    def __init__(self, file: ParsedFile, names: Lookup, classes: Classes) -> None:
        self._file = file
        self._names = names
        self._classes = classes
        self._known: dict[tuple[cst.CSTNode | None, str], Role | None] = {}

    def built_role(self, expression: cst.CSTNode) -> Role | None:
        """The role told by what built it: a constructor, or an annotation."""
        built = self._classes.built(expression)
        roles = {_role_of(self._names.name(call.func), self._classes) for call in built}
        if len(roles) == 1:
            return roles.pop()
        return None if roles else self._annotated(expression)

    def presumed_role(self, expression: cst.CSTNode) -> Role | None:
        """The role told by what built it, else by its name where it is used as such a thing is."""
        if role := self.built_role(expression):
            return role
        if isinstance(expression, cst.Attribute):
            name, text = expression.attr.value, self._file.code(expression)
        elif isinstance(expression, cst.Name):
            name = text = expression.value
        else:
            return None
        scope = self._file.enclosing(expression, cst.ClassDef, cst.FunctionDef)
        if (scope, text) not in self._known:
            self._known[scope, text] = self._by_name(name, text)
        return self._known[scope, text]

    def _by_name(self, name: str, text: str) -> Role | None:
        for role, pattern in _NAMES.items():
            if pattern.match(name):
                typical = _TYPICAL.get(role, ())
                used = any(f"{text}.{method}" in self._file.text for method in typical)
                return role if used or not typical else None
        return None

    def _annotated(self, expression: cst.CSTNode) -> Role | None:
        """Of a parameter `optimizer: torch.optim.Optimizer`."""
        if not isinstance(expression, cst.Name):
            return None
        bound = self._names.bound(expression)
        param = bound[0].node if len(bound) == 1 else None
        if not isinstance(param, cst.Param) or param.annotation is None:
            return None
        return _role_of(self._names.name(param.annotation.annotation), self._classes)
