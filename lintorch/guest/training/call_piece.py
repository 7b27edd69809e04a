"""Calls a piece of training code with values that are made up for it, and looks at what that leaves."""

from __future__ import annotations

import ast
import io
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, redirect_stdout, suppress
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import torch
from torch import nn
from torch.optim.optimizer import register_optimizer_step_post_hook

from lintorch.guest.calls.script_surroundings import only_cpu
from lintorch.guest.process import surroundings
from lintorch.guest.proof.observe_model import (
    Observation,
)
from lintorch.guest.training.find_needs import Needs
from lintorch.guest.training.goals import GOALS
from lintorch.guest.training.look_at_training import look_at_training
from lintorch.guest.training.make_values import Made
from lintorch.guest.training.pieces import Piece
from lintorch.machine.work_folders import current_folder


@dataclass
class Called:
    """What calling a piece came to: what was seen, and the optimizers that stepped, each time."""

    seen: Observation
    steps: int = 0


@dataclass(frozen=True)
class Way:
    """With which goal, and with which form of batches, it is called."""

    goal: int
    form: int
    switched: bool = False
    """Whether its flags are on that are off by themselves."""


def list_ways(needs: Needs) -> Iterator[Way]:
    """All, the likeliest first."""
    for form in range(needs.forms):
        yield from (Way(goal, form) for goal in range(len(GOALS)))


def call_piece(piece: Piece, needs: Needs, module: ModuleType, way: Way) -> Called:
    """Call it once, from a fixed seed. Raises whatever it raises; what was not there before is gone after."""
    surroundings.seed_generators()
    torch.manual_seed(3)
    made = Made(GOALS[way.goal], way.form)
    before = dict(vars(module))
    stepped: dict[int, Any] = {}
    counted = [0]

    def note_step(optimizer: Any, args: Any, kwargs: Any) -> None:
        counted[0] += 1
        stepped.setdefault(id(optimizer), optimizer)

    hook = register_optimizer_step_post_hook(note_step)
    try:
        with prepare_surroundings(module):
            vars(module).update(made.make_all(needs.names))
            run = _make_call(piece, needs, module, made, way.switched)
            surroundings.seed_generators(1)
            with redirect_stdout(io.StringIO()) as printed:
                returned = run()
    finally:
        hook.remove()
        vars(module).clear()
        vars(module).update(before)
    seen = look_at_training(made, [*stepped.values()], returned, printed.getvalue())
    return Called(seen, counted[0])


def _make_call(
    piece: Piece, needs: Needs, module: ModuleType, made: Made, switched: bool
) -> Callable[[], Any]:
    scope = vars(module)
    if piece.is_loop:
        code = compile(ast.Module([piece.node], []), str(module.__file__), "exec")
        return lambda: exec(code, scope)
    given = made.make_all(needs.parameters) | dict.fromkeys(needs.flags if switched else (), True)
    if not piece.owner:
        return lambda: scope[piece.qualname](**given)
    kind = scope[piece.owner]
    method = kind.__dict__[piece.qualname.rpartition(".")[2]]
    if isinstance(method, (staticmethod, classmethod)):
        return lambda: getattr(kind, method.__name__)(**given)
    owner = _build_owner(kind, needs, made)
    for name, value in made.make_all(needs.attributes).items():
        with suppress(AttributeError):
            if not hasattr(owner, name):
                setattr(owner, name, value)
    if isinstance(owner, nn.Module):
        made.models["self"] = owner
    return lambda: getattr(owner, piece.qualname.rpartition(".")[2])(**given)


def _build_owner(kind: Any, needs: Needs, made: Made) -> Any:
    """The object whose method is called: a model by its constructor, where that takes what is made up."""
    if issubclass(kind, nn.Module):
        with suppress(Exception, SystemExit):
            return kind(**made.make_all(needs.settings))
    owner = kind.__new__(kind)
    if isinstance(owner, nn.Module):
        nn.Module.__init__(owner)
    return owner


@contextmanager
def prepare_surroundings(module: ModuleType) -> Iterator[None]:
    """No GPU, nothing saved, in a folder of its own."""
    where = os.getcwd()
    with ExitStack() as around:
        around.enter_context(only_cpu())
        if folder := current_folder():
            os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(where)
