"""Which part in training a value plays: told by its class, or by what is called on it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from lintorch.evaluator.conditions import name_lasting
from lintorch.evaluator.events import Called, Occurrence
from lintorch.evaluator.objects import is_module_class, list_ancestors
from lintorch.evaluator.unknown_objects import UnknownCalled
from lintorch.evaluator.values import External, Held, Value
from lintorch.facts.training.roles import Role

_CLASSES = {
    "torch.optim.Optimizer": Role.OPTIMIZER,
    "torch.optim.lr_scheduler.LRScheduler": Role.SCHEDULER,
    "torch.optim.lr_scheduler._LRScheduler": Role.SCHEDULER,
    "torch.utils.data.DataLoader": Role.LOADER,
    "torch.utils.data.Dataset": Role.DATASET,
    "torch.utils.data.IterableDataset": Role.DATASET,
}
_FOREIGN_OPTIMIZER = re.compile(
    r"(transformers|pytorch_transformers|pytorch_pretrained_bert|apex|timm|bitsandbytes|torch_optimizer|"
    r"deepspeed|fairscale)\.([\w.]+\.)?\w*(Adam|SGD|LAMB|Lamb|Lion|Adafactor|RMSprop|Ranger|AdaBelief|Adan)\w*"
)
"""Optimizers of other packages, which step and clear as those of torch do."""
_OPTIMIZER = re.compile(
    r"^(optimi[sz]er|optim|opt)(s?[A-Z0-9]\w*|_\w+)?$|(^|_)(optimi[sz]er|optim|opt)$"
)
_SCALER = re.compile(r"(^|_)(grad_?|amp_?|loss_?)?scaler$", re.I)
_SCHEDULER = re.compile(r"^(\w+_)?(scheduler|sched)(_\w+)?$", re.I)
_MODEL = re.compile(r"^(\w+_)?(model|net|network|generator|discriminator)$", re.I)
_OF_MODELS = frozenset({"eval", "train", "parameters", "state_dict", "load_state_dict"})
_OF_ENGINES = frozenset({"backward", "forward", "save_checkpoint"})
"""Of what steps and clears on its own: `engine.backward(loss)`."""


@dataclass(frozen=True)
class Subject:
    """What something is done to. Two of the same key are one object; `text` is how it is written."""

    key: str
    text: str = field(compare=False, default="")

    def __str__(self) -> str:
        return self.text

    @property
    def name(self) -> str:
        """The last name of it."""
        return self.text.rpartition(".")[2]


EVERYTHING = Subject("*", "everything")
"""Whatever code that is not seen may reach."""


def role_of_class(path: str) -> Role | None:
    """The part that an object of a foreign class plays."""
    last = path.rpartition(".")[2]
    if path in _CLASSES:
        return _CLASSES[path]
    if path.startswith("torch.optim.lr_scheduler.") and last[:1].isupper():
        return Role.SCHEDULER
    if path.startswith("torch.optim.") and last[:1].isupper():
        return Role.OPTIMIZER
    if _FOREIGN_OPTIMIZER.fullmatch(path):
        return Role.OPTIMIZER
    if path.startswith("torch.") and last == "GradScaler":
        return Role.SCALER
    return Role.LOSS if path.startswith("torch.nn.") and last.endswith("Loss") else None


def role_of_object(value: Value) -> Role | None:
    """The part of an object of which the class is known."""
    if not isinstance(value, Held) or value.of is None:
        return None
    for each in list_ancestors(value.of):
        role = role_of_class(each.path) if isinstance(each, External) else None
        if role is not None:
            return role
    return Role.MODEL if is_module_class(value.of) else None


def make_subject(value: Value, node: ast.AST | None, where: str) -> Subject:
    """The object that a value is, or that an expression stands for; `where` tells functions apart."""
    lasting = name_lasting(value)
    text = ast.unparse(node) if isinstance(node, ast.expr) else _name_kept(lasting)
    return Subject(lasting or f"{where}:{text}", text)


def _name_kept(lasting: str) -> str:
    """`optimizer` of `<optimizer>`, `self.optimizer` of `#12.optimizer`: of what is called by another name."""
    if lasting.startswith("#") and "." in lasting:
        return f"self.{lasting.partition('.')[2]}"
    return lasting.replace("<", "").replace(">", "")


def receiver_of(node: ast.AST) -> ast.expr | None:
    """`x` of `x.step()`."""
    func = node.func if isinstance(node, ast.Call) else None
    return func.value if isinstance(func, ast.Attribute) else None


class Parts:
    """The parts of what is unknown, by what is called on it anywhere in one root."""

    def __init__(self, events: Iterable[Occurrence]) -> None:
        self._uses: dict[str, set[str]] = {}
        self._stepped: set[str] = set()
        """What a scaler steps, and schedulers are made for."""
        for event in events:
            if isinstance(event, UnknownCalled):
                self._note_use(event)
            elif isinstance(event, Called):
                self._note_call(event)

    def _note_use(self, event: UnknownCalled) -> None:
        key = key_of(event.held)
        if key:
            self._uses.setdefault(key, set()).add(event.method)
        if event.method == "unscale_" and event.given.positional:
            self._stepped.add(key_of(event.given.positional[0]))

    def _note_call(self, event: Called) -> None:
        path, _, method = event.name.rpartition(".")
        if role_of_class(path) is Role.SCALER and method in ("step", "unscale_"):
            self._stepped.update(map(key_of, event.positional[1:2]))
        elif role_of_class(event.name) is Role.SCHEDULER:
            self._stepped.update(map(key_of, event.positional[:1]))

    def role_of(self, value: Value, text: str) -> Role | None:
        """The part of a value that is written so."""
        known = role_of_object(value)
        if known is not None or isinstance(value, Held):
            return known
        key, name = key_of(value), text.rpartition(".")[2].rstrip("()")
        uses = self._uses.get(key, set()) if key else set()
        if uses & _OF_ENGINES:
            return None
        if "unscale_" in uses or ("scale" in uses and (uses & {"step", "update"})):
            return Role.SCALER
        if _SCALER.search(name) and (not key or uses & {"scale", "step", "update"}):
            return Role.SCALER
        if (key in self._stepped and key) or {"step", "zero_grad"} <= uses:
            return Role.OPTIMIZER
        if "get_last_lr" in uses or _SCHEDULER.match(name):
            return Role.SCHEDULER
        if _OPTIMIZER.search(name):
            return Role.OPTIMIZER
        if _MODEL.match(name) or uses & _OF_MODELS:
            return Role.MODEL
        return None


def key_of(value: Value) -> str:
    """What tells a value from others, "" where nothing does."""
    return name_lasting(value)
