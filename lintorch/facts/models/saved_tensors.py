"""What autograd keeps for backward: outputs of some operations, inputs of layers with weights."""

from __future__ import annotations

import ast

from lintorch.evaluator.events import Called, Occurrence
from lintorch.evaluator.values import Tensor, Value
from lintorch.facts.models.evaluation import Evaluation
from lintorch.facts.models.gradient_flow import GradientFlow
from lintorch.facts.models.gradient_graphs import has_weights
from lintorch.facts.models.one_way import may_follow
from lintorch.facts.models.operation_steps import name_operation
from lintorch.facts.models.tensor_writes import (
    find_base,
    find_written,
    gives_view,
    list_views,
    name_changed,
)
from lintorch.syntax.python_ast import list_nodes

SAVING = {
    "sigmoid": "Sigmoid", "tanh": "Tanh", "relu": "ReLU", "relu_": "ReLU", "softmax": "Softmax",
    "log_softmax": "LogSoftmax", "exp": "exp", "sqrt": "sqrt", "rsqrt": "rsqrt",
}  # fmt: skip
"""Operations whose backward reads their output."""
SAVING_IN_PLACE = {
    "leaky_relu": "LeakyReLU", "leaky_relu_": "LeakyReLU", "leakyrelu": "LeakyReLU",
    "elu": "ELU", "elu_": "ELU",
}  # fmt: skip
"""Those whose backward does so where they work in place."""
_KEEPING_INPUT = ("torch.nn.Linear.forward", "torch.nn.Conv")


def name_kept(before: Called) -> str:
    """The operation, where its backward reads what it gave; "" where it does not."""
    name = name_operation(before)
    if name in SAVING_IN_PLACE:
        return SAVING_IN_PLACE[name] if find_written(before) is not None else ""
    return SAVING.get(name, "") if before.name.startswith("torch.") else ""


def find_saver(write: Occurrence, evaluation: Evaluation) -> str:
    """The operation that keeps what is written to, where a gradient surely flows through it; "" if none does."""
    written = find_written(write)
    views = None if written is None else list_views(written, evaluation.ways)
    if written is None or views is None:
        return ""
    base = find_base(written, views)
    for value in (written, base) if base is not written else (written,):
        made = evaluation.ways.find_maker(value)
        kept = name_kept(made) if isinstance(made, Called) and made is not write else ""
        if kept and made is not None and GradientFlow(evaluation).list_runs(value):
            return f"{kept} in line {made.spot.row}"
        if (user := _find_user(value, write, evaluation)) is not None:
            return f"{user.name.split('.')[2]} in line {user.spot.row}"
    return ""


def _find_user(value: Value, write: Occurrence, evaluation: Evaluation) -> Called | None:
    """A layer that was given it before, and keeps it for the gradient of its weights."""
    if not isinstance(value, Tensor):
        return None
    for user in evaluation.ways.find_users(value):
        if (
            isinstance(user, Called)
            and user.name.startswith(_KEEPING_INPUT)
            and has_weights(user)
            and user.way.root == write.way.root
            and evaluation.find_position(user) < evaluation.find_position(write)
            and any(each is value for each in user.positional[1:2])
            and may_follow(user, write, evaluation)
            and not _is_given_anew(write, user, evaluation)
        ):
            return user
    return None


def _is_given_anew(write: Occurrence, user: Called, evaluation: Evaluation) -> bool:
    """Whether the name that is written to was given what a later call made: `x = self.conv(x); x += y`.

    Layers that are called alike give one value, which then seems to be what an earlier one was given.
    """
    deep = len(write.way.spots)
    row = (*user.way.spots, user.spot)[deep].row if len(user.way.spots) >= deep else 0
    name, function = name_changed(write), evaluation.find_function(write)
    assigned = [
        each
        for each in (list_nodes(function) if function is not None else ())
        if isinstance(each, ast.Assign)
        and row <= each.lineno < write.spot.row
        and any(isinstance(target, ast.Name) and target.id == name for target in each.targets)
    ]
    last = max(assigned, key=lambda each: each.lineno, default=None)
    if last is None or not isinstance(last.value, ast.Call):
        return False
    called = last.value.func
    return not (isinstance(called, ast.Attribute) and gives_view(called.attr))
