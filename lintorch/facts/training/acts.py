"""What one call does in a training step: backward, step, zero_grad, scale, clip and the like."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum

import libcst as cst

from lintorch.facts.classes.classes import Classes, is_self
from lintorch.facts.names.lookup import Lookup
from lintorch.facts.training.roles import Role, Roles
from lintorch.syntax.parsed_file import ParsedFile


class Act(Enum):
    """Kinds of event in a training step."""

    BACKWARD = "backward"
    SCALE = "scale"
    UNSCALE = "unscale_"
    SCALER_STEP = "scaler.step"
    UPDATE = "update"
    STEP = "step"
    SOME_STEP = "step of something unknown"
    ZERO_GRAD = "zero_grad"
    CLIP = "clip"
    SCHEDULE = "scheduler.step"
    TRAIN = "train"
    EVAL = "eval"
    ENTER = "enter"
    LEAVE = "leave"
    SUMMED = "added to a total"
    RESUMED = "load_state_dict"
    READ_SCALE = "get_scale"
    GIVEN = "gradient set by hand"
    PASSED = "passed to code that is not seen"


@dataclass(frozen=True)
class Thing:
    """What an expression stands for, in the words of the region that is followed."""

    text: str
    node: cst.BaseExpression


@dataclass(frozen=True)
class Event:
    """One act. `on`: the optimizer, model, loss or context it is about; `by`: the scaler, if one.

    Of a BACKWARD, `by` is the scaler that scaled the loss, "" if none did. Of a PASSED, `on` is
    the object that code outside the file was given, "self" where it may reach everything.
    """

    act: Act
    node: cst.CSTNode
    on: str = ""
    by: str = ""


Resolve = Callable[[cst.BaseExpression], Thing]

_CLIPS = ("clip_grad_norm_", "clip_grad_value_", "clip_grad_norm", "clip_grad_value")
_OPTIMIZER = re.compile(r"^(optimi[sz]er|optim|opt)(s?[A-Z0-9]\w*|_\w+)?$|(^|_)optimi[sz]er$")
_ENGINE = re.compile(
    r"(^|\.)_?(accelerator|fabric|engine|\w+_engine|strategy|trainer|runner|amp|deepspeed|self)$",
    re.I,
)
_HARMLESS = re.compile(
    r"save|checkpoint|ckpt|print|log|write|record|state_dict|get_|num_|count|len|isinstance|format|"
    r"display|plot|report|wandb|tensorboard|summary|watch|barrier|reduce|time|speed|bar|meter|"
    r"criterion|loss_?f|^(id|type|str|repr|list|tuple|dict|set|zip|enumerate|range|next|iter|getattr|"
    r"hasattr|any|all|map|filter|sum|bool|unwrap\w*|de_parallel|unwrap_model|is_\w+|has_\w+)$",
    re.I,
)
"""Names of functions that neither step nor clear what they are given."""
_HOOKS = re.compile(r"^(on_|call_hook|run_callbacks|trigger|fire|_?call_callbacks|before_|after_)")
_INHERITED_HARMLESS = re.compile(
    r"^(log\w*|print\w*|eval|train|to|parameters|state_dict|named_\w+)$"
)
_MODELS = re.compile(
    r"^_?(\w+_)?(model|net|network|net\w|criterion|loss(_?\w+)?|generator|discriminator|critic|actor|"
    r"encoder|decoder|backbone|head|policy|forward)$",
    re.I,
)
"""Attributes that are called as functions, set by a class that is not seen."""
NO_GRAD = ("torch.no_grad", "torch.inference_mode", "torch.autograd.no_grad")
AUTOCAST = (
    "torch.autocast", "torch.amp.autocast", "torch.cuda.amp.autocast", "torch.cpu.amp.autocast",
    "torch.autocast_mode.autocast",
)  # fmt: skip


class Acts:
    """Tells what calls of one file do."""

    def __init__(self, file: ParsedFile, names: Lookup, classes: Classes, roles: Roles) -> None:
        self._file = file
        self._names = names
        self._classes = classes
        self._roles = roles

    def events_of(self, call: cst.Call, resolve: Resolve) -> Iterator[Event]:
        """The events that a call is by itself, helpers and arguments not looked into."""
        name = self._names.name(call.func)
        if name.rpartition(".")[2] in _CLIPS:
            given = call.args[0].value if call.args and not call.args[0].star else None
            yield Event(Act.CLIP, call, resolve(given).text if given is not None else "")
        elif name == "torch.autograd.backward":
            yield Event(Act.BACKWARD, call)
        elif isinstance(call.func, cst.Attribute) and not name:
            yield from self._method(call, call.func, resolve)
        else:
            yield from self._passed(call, name or _last(call.func), resolve)

    def context_kind(self, expression: cst.BaseExpression) -> str:
        """What a `with` item, or a decorator, is: "autocast", "no_grad", "grad?" or ""."""
        func = expression.func if isinstance(expression, cst.Call) else expression
        name = self._names.name(func)
        if name in AUTOCAST or _last(func).endswith("autocast"):
            return "autocast"
        if name in NO_GRAD:
            return "no_grad"
        if name.endswith("set_grad_enabled") and isinstance(expression, cst.Call):
            off = bool(expression.args) and self._file.code(expression.args[0].value) == "False"
            return "no_grad" if off else "grad?"
        return ""

    def is_optimizer(self, thing: Thing, expression: cst.BaseExpression) -> bool:
        """Whether a thing is an optimizer of torch, as far as can be told."""
        if self._role(thing, expression) is Role.OPTIMIZER:
            built = self._classes.built(thing.node)
            own = [self._classes.named(self._names.name(call.func)) for call in built]
            return not any(own) or self._roles.built_role(thing.node) is Role.OPTIMIZER
        last = thing.text.rpartition(".")[2]
        return bool(_OPTIMIZER.search(last)) and not self._classes.built(thing.node)

    def _role(self, thing: Thing, expression: cst.BaseExpression) -> Role | None:
        return self._roles.presumed_role(thing.node) or self._roles.presumed_role(expression)

    def _method(self, call: cst.Call, func: cst.Attribute, resolve: Resolve) -> Iterator[Event]:
        method, receiver = func.attr.value, func.value
        thing = resolve(receiver)
        first = call.args[0].value if call.args else None
        given = resolve(first).text if first is not None else ""
        role = self._role(thing, receiver) if method in _TOLD_BY_ROLE else None
        if method == "backward":
            framework = first is not None and (
                _ENGINE.search(thing.text) or "loss" in given.lower()
            )
            yield (
                Event(Act.PASSED, call, "self")
                if framework
                else Event(Act.BACKWARD, call, thing.text)
            )
        elif role is Role.SCALER and method in _SCALER:
            yield Event(_SCALER[method], call, given, thing.text)
        elif method == "step" and self.is_optimizer(thing, receiver):
            yield Event(Act.STEP, call, thing.text)
        elif method == "step":
            scheduled = role is Role.SCHEDULER
            yield Event(Act.SCHEDULE if scheduled else Act.SOME_STEP, call, thing.text)
        elif method == "zero_grad" or (method == "zero_" and thing.text.endswith(".grad")):
            yield Event(Act.ZERO_GRAD, call, thing.text)
        elif method in ("train", "eval") and len(call.args) <= 1:
            off = method == "eval" or given == "False"
            yield Event(Act.EVAL if off else Act.TRAIN, call, thing.text)
        elif method in _CLIPS:
            yield Event(Act.PASSED, call, thing.text)
        elif self._reaches_all(thing, method, receiver):
            yield Event(Act.PASSED, call, "self")
        elif not (isinstance(receiver, (cst.Name, cst.Attribute)) and self._quiet(method)):
            yield from self._passed(call, method, resolve)

    def _quiet(self, method: str) -> bool:
        return bool(_HARMLESS.search(method))

    def _reaches_all(self, thing: Thing, method: str, receiver: cst.BaseExpression) -> bool:
        """Inherited methods, and hooks: they hold every object."""
        if _HOOKS.match(method) or "callback" in thing.text or "hooks" in thing.text:
            return True
        if isinstance(receiver, cst.Call) and _last(receiver.func) == "super":
            return not _INHERITED_HARMLESS.match(method)
        info = self._classes.around(receiver) if is_self(receiver) else None
        return (
            info is not None
            and self._classes.method(info, method) is None
            and method not in info.attributes
            and not _INHERITED_HARMLESS.match(method)
            and not self._quiet(method)
            and not _MODELS.match(method)
        )

    def _passed(self, call: cst.Call, name: str, resolve: Resolve) -> Iterator[Event]:
        """The optimizers, scalers and models that a function outside the file is given."""
        if name.startswith("torch.") or _HARMLESS.search(name.rpartition(".")[2]):
            return
        if self._classes.function(call.func) is not None:
            return
        for arg in call.args:
            if not isinstance(arg.value, (cst.Name, cst.Attribute)):
                continue
            thing = resolve(arg.value)
            if thing.text == "self" or arg.star:
                yield Event(Act.PASSED, call, "self" if thing.text == "self" else thing.text)
            elif self._role(thing, arg.value) in _OBJECTS or self.is_optimizer(thing, arg.value):
                yield Event(Act.PASSED, call, thing.text)


_OBJECTS = (Role.OPTIMIZER, Role.SCALER, Role.MODEL, Role.SCHEDULER)
_TOLD_BY_ROLE = frozenset({"step", "scale", "unscale_", "update"})
_SCALER = {
    "scale": Act.SCALE,
    "unscale_": Act.UNSCALE,
    "step": Act.SCALER_STEP,
    "update": Act.UPDATE,
}


def _last(node: cst.CSTNode) -> str:
    """The last name of a chain of names."""
    if isinstance(node, cst.Attribute):
        return node.attr.value
    return node.value if isinstance(node, cst.Name) else ""
