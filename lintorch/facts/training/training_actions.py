"""What calls do in a training step, told by what they are called on."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from lintorch.evaluator.events import AttributeSet, Called, Occurrence
from lintorch.evaluator.marks import CallBegan
from lintorch.evaluator.objects import list_ancestors
from lintorch.evaluator.unknown_objects import ScaledLoss, UnknownCalled
from lintorch.evaluator.values import FALSE, NONE, Constant, Function, Given, Held, Value
from lintorch.facts.training.acts import Act
from lintorch.facts.training.part_values import (
    EVERYTHING,
    Parts,
    Subject,
    make_subject,
    receiver_of,
    role_of_class,
    role_of_object,
)
from lintorch.facts.training.roles import Role

CLIPS = ("clip_grad_norm_", "clip_grad_value_", "clip_grad_norm", "clip_grad_value")
_HARMLESS = re.compile(
    r"save|checkpoint|ckpt|print|log|write|record|state_dict|get_|num_|count|len|isinstance|format|"
    r"display|plot|report|wandb|tensorboard|summary|watch|barrier|reduce|time|speed|bar|meter|"
    r"criterion|loss_?f|^(id|type|str|repr|list|tuple|dict|set|zip|enumerate|range|next|iter|getattr|"
    r"hasattr|any|all|map|filter|sum|bool|unwrap\w*|de_parallel|unwrap_model|is_\w+|has_\w+)$",
    re.I,
)
"""Names of functions that neither step nor clear what they are given."""
_RESUMES = re.compile(r"(^|_|\.)(load|resume|restore)", re.I)
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
_SCALER = {
    "scale": Act.SCALE,
    "get_scale": Act.READ_SCALE,
    "unscale_": Act.UNSCALE,
    "step": Act.SCALER_STEP,
    "update": Act.UPDATE,
}
_OF_ROLE = {
    Role.OPTIMIZER: {"step": Act.STEP, "zero_grad": Act.ZERO_GRAD, "load_state_dict": Act.RESUMED},
    Role.SCHEDULER: {"step": Act.SCHEDULE, "load_state_dict": Act.RESUMED},
    Role.MODEL: {"zero_grad": Act.ZERO_GRAD},
}
_MODES = ("train", "eval")
_WRITES = ("copy_", "add_", "mul_", "div_", "set_", "fill_")
_HANDED = (Role.OPTIMIZER, Role.SCALER, Role.MODEL, Role.SCHEDULER)


@dataclass(frozen=True)
class Action:
    """One act. `at`: the call. `on`: the optimizer, model or loss it is about; `by`: the scaler, if one.

    Of a BACKWARD, `by` is the scaler that scaled the loss, None if none did. Of a PASSED, `on` is
    the object that code outside of the project was given, EVERYTHING where it may reach all.
    """

    act: Act
    at: Occurrence
    on: Subject | None = None
    by: Subject | None = None
    value: Value | None = None
    """What stands for `on`, as far as it is known."""
    role: Role | None = None
    """Of a PASSED the part that plays what is passed."""
    before: Value | None = None
    """Of a SUMMED what the total was before."""
    made: Called | None = None
    """Of a context that is entered: the call that made it."""

    @property
    def keywords(self) -> Collection[str]:
        """The names of arguments that the call is given by name."""
        if isinstance(self.at, Called):
            return self.at.keyword.keys()
        given = getattr(self.at, "given", None)
        return given.keyword.keys() if isinstance(given, Given) else ()

    @property
    def is_sure(self) -> bool:
        """Of a BACKWARD: whether it is known if the loss was scaled."""
        return self.by is not None or receiver_of(self.at.node) is not None


class Actions:
    """Tells what the events of one root do."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def list_actions(self, event: Occurrence) -> Iterator[Action]:
        """What an event does, if anything."""
        if isinstance(event, Called):
            yield from self._of_call(event)
        elif isinstance(event, UnknownCalled):
            yield from self._of_unknown(event)
        elif isinstance(event, AttributeSet) and event.attribute == "grad":
            yield Action(Act.ZERO_GRAD if event.value == NONE else Act.GIVEN, event)
        elif isinstance(event, AttributeSet) and _puts_back(event):
            yield Action(Act.TRAIN, event, EVERYTHING, value=event.held)

    def of_method(self, event: CallBegan) -> Action | None:
        """What a method of an own class does that derives from an optimizer, scheduler or scaler."""
        first = event.given.positional[0] if event.given.positional else None
        role = role_of_object(first) if isinstance(first, Held) else None
        if role in (None, Role.MODEL) or first is None or not _is_method_of(event.function, first):
            return None
        act = self._act_of(role, event.function.name)
        if act is None:
            return None
        on = self._subject(first, receiver_of(event.call), event)
        given = event.given.positional[1:]
        if role is Role.SCALER:
            return self._by_scaler(act, event, on, given, first)
        return Action(act, event, on, value=first)

    def _of_call(self, event: Called) -> Iterator[Action]:
        path, _, method = event.name.rpartition(".")
        given = event.positional
        if method in CLIPS:
            yield Action(Act.CLIP, event, self._argument(event, 0, given))
        elif event.name in ("torch.Tensor.backward", "torch.autograd.backward"):
            first = given[0] if given else None
            yield self._backward(event, first)
        elif role_of_class(event.name) is Role.SCHEDULER:
            yield from self._resumed(event)
        elif given and isinstance(given[0], Held) and (role := role_of_object(given[0])):
            act = self._act_of(role, method) if path and path != event.name else None
            if role is Role.MODEL and method in _MODES:
                act = _mode_of(method, given[1:], event.keyword)
            on = self._subject(given[0], receiver_of(event.node), event)
            if act is not None and role is Role.SCALER:
                yield self._by_scaler(act, event, on, given[1:], given[0])
            elif act is not None:
                yield Action(act, event, on, value=given[0])
            elif role_of_class(path) is None:
                yield from self._passed(event, event.name, event.positional, 0)
        elif method == "zero_" and _is_gradient(event.node):
            yield Action(Act.ZERO_GRAD, event)
        elif method == "zero_grad" and given:
            yield Action(
                Act.ZERO_GRAD, event, self._subject(given[0], receiver_of(event.node), event)
            )
        elif method in _WRITES and _is_gradient(event.node):
            yield Action(Act.GIVEN, event)
        else:
            yield from self._passed(event, event.name, event.positional, 0)

    def _resumed(self, event: Called) -> Iterator[Action]:
        """A scheduler that is made with an epoch to go on from."""
        last = event.keyword.get("last_epoch") or event.arguments.get("last_epoch")
        if last is not None and last != Constant(-1):
            yield Action(Act.RESUMED, event, self._argument(event, 0, event.positional))

    def _act_of(self, role: Role | None, method: str) -> Act | None:
        if role is Role.SCALER:
            return _SCALER.get(method)
        return _OF_ROLE.get(role, {}).get(method) if role is not None else None

    def _of_unknown(self, event: UnknownCalled) -> Iterator[Action]:
        method, receiver = event.method, receiver_of(event.node)
        text = ast.unparse(receiver) if receiver is not None else ""
        subject = self._subject(event.held, receiver, event)
        given = event.given.positional
        role = self._parts.role_of(event.held, text or subject.text)
        if method in CLIPS:
            yield Action(Act.PASSED, event, EVERYTHING)
        elif method == "backward":
            if self._is_engine(event, text):
                yield Action(Act.PASSED, event, EVERYTHING)
            else:
                yield self._backward(event, event.held)
        elif role is Role.SCALER and method in _SCALER:
            yield self._by_scaler(_SCALER[method], event, subject, given, event.held)
        elif method == "step":
            act = self._act_of(role, "step") or Act.SOME_STEP
            yield Action(act, event, subject, value=event.held)
        elif method == "zero_grad" or (method == "zero_" and _is_gradient(event.node)):
            yield Action(Act.ZERO_GRAD, event, subject)
        elif method in _MODES and len(given) <= 1:
            act = _mode_of(method, given, event.given.keyword)
            yield Action(act, event, subject, value=event.held)
        elif method == "load_state_dict" and role in (Role.OPTIMIZER, Role.SCHEDULER):
            yield Action(Act.RESUMED, event, subject)
        elif method in _WRITES and _is_gradient(event.node):
            yield Action(Act.GIVEN, event)
        elif self._reaches_all(event, method, text):
            yield Action(Act.PASSED, event, EVERYTHING)
        elif not (text and _HARMLESS.search(method)):
            word = method or _last_word(event.node)
            yield from self._passed(event, word, given, 0)

    def _is_engine(self, event: UnknownCalled, text: str) -> bool:
        """`accelerator.backward(loss)`, `self.manual_backward(loss)`."""
        first = event.given.positional[:1]
        if not first or isinstance(event.held, ScaledLoss):
            return False
        given = event.node.args if isinstance(event.node, ast.Call) else []
        word = ast.unparse(given[0]).lower() if given else ""
        return "loss" in word or bool(_ENGINE.search(text))

    def _reaches_all(self, event: UnknownCalled, method: str, text: str) -> bool:
        """Inherited methods, and hooks: they hold every object."""
        if _HOOKS.match(method) or "callback" in text or "hooks" in text:
            return True
        if text.startswith("super()"):
            return not _INHERITED_HARMLESS.match(method or _last_word(event.node))
        inherited = isinstance(event.held, Held) and event.held.kind == "object"
        return inherited and not (
            _INHERITED_HARMLESS.match(method) or _HARMLESS.search(method) or _MODELS.match(method)
        )

    def _passed(
        self, event: Called | UnknownCalled, name: str, given: tuple[Value, ...], skip: int
    ) -> Iterator[Action]:
        """The optimizers, scalers and models that code outside of the project is given."""
        resumes = bool(_RESUMES.search(name))
        if name.startswith("torch.") or (_HARMLESS.search(name.rpartition(".")[2]) and not resumes):
            return
        for index, value in enumerate(given[skip:], skip):
            subject = self._argument(event, index, given)
            if subject is None:
                continue
            if subject.text == "self":
                yield Action(Act.PASSED, event, EVERYTHING)
            elif (role := self._parts.role_of(value, subject.text)) in _HANDED:
                yield Action(Act.RESUMED if resumes else Act.PASSED, event, subject, role=role)

    def _by_scaler(
        self,
        act: Act,
        event: Occurrence,
        scaler: Subject,
        given: tuple[Value, ...],
        value: Value,
    ) -> Action:
        node = event.call if isinstance(event, CallBegan) else event.node
        args = node.args if isinstance(node, ast.Call) else []
        on = self._subject(given[0], args[0] if args else None, event) if given else None
        return Action(act, event, on, scaler, given[0] if given else None)

    def _backward(self, event: Occurrence, loss: Value | None) -> Action:
        receiver = receiver_of(event.node)
        on = self._subject(loss, receiver, event) if loss is not None else None
        by = None
        if isinstance(loss, ScaledLoss):
            by = make_subject(loss.scaler, None, _where(event))
        return Action(Act.BACKWARD, event, on, by, loss)

    def _argument(self, event: Occurrence, index: int, given: tuple[Value, ...]) -> Subject | None:
        """An argument that is a name, by its place; a receiver is not counted where it is written ahead."""
        node = event.node
        if index >= len(given) or not isinstance(node, ast.Call):
            return None
        at = index - (len(given) - len(node.args)) if len(given) > len(node.args) else index
        written = node.args[at] if 0 <= at < len(node.args) else None
        return self._subject(given[index], written, event)

    def _subject(self, value: Value, node: ast.AST | None, event: Occurrence) -> Subject:
        return make_subject(value, node, _where(event))


def _is_method_of(function: Function, value: Value) -> bool:
    """Whether a function is a method of the object that it is given first, not one that is handed it."""
    kinds = list_ancestors(value.of) if isinstance(value, Held) else ()
    return function.kind != "static" and any(each is function.owner for each in kinds)


def _puts_back(event: AttributeSet) -> bool:
    """`part.training = mode`."""
    return event.attribute == "training" and event.value != FALSE


def _mode_of(method: str, given: tuple[Value, ...], named: Mapping[str, Value]) -> Act:
    """`train(mode)` with a mode that is not known puts back what was before."""
    off = method == "eval" or FALSE in (*given[:1], named.get("mode"))
    return Act.EVAL if off else Act.TRAIN


_ENGINE = re.compile(
    r"(^|\.)_?(accelerator|fabric|engine|\w+_engine|strategy|trainer|runner|amp|deepspeed|self)$",
    re.I,
)


def _where(event: Occurrence) -> str:
    """The function in which something happens."""
    return event.way.names[-1] if event.way.names else ""


def _is_gradient(node: ast.AST) -> bool:
    receiver = receiver_of(node)
    while isinstance(receiver, ast.Attribute) and receiver.attr == "data":
        receiver = receiver.value
    return isinstance(receiver, ast.Attribute) and receiver.attr == "grad"


def _last_word(node: ast.AST) -> str:
    func = node.func if isinstance(node, ast.Call) else node
    return func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
