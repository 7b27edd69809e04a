"""What optimizers, scalers and context managers of training do."""

from __future__ import annotations

import ast
from functools import partial

from lintorch.evaluator.library.table import LIBRARY, SUFFIXES
from lintorch.evaluator.machine import Machine
from lintorch.evaluator.truth import known_items
from lintorch.evaluator.unknown_objects import ScaledLoss, call_closures
from lintorch.evaluator.values import (
    NONE,
    UNKNOWN,
    Bound,
    Class,
    External,
    Function,
    Given,
    Held,
    Number,
    Unknown,
    Value,
)

CONTEXTS = (
    "torch.autocast", "torch.amp.autocast", "torch.cuda.amp.autocast", "torch.cpu.amp.autocast",
    "torch.no_grad", "torch.inference_mode", "torch.enable_grad", "torch.set_grad_enabled",
    "torch.autograd.no_grad", "torch.autograd.set_grad_enabled", "torch.autograd.enable_grad",
)  # fmt: skip


def step_optimizer(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`optimizer.step(closure)`, `scheduler.step()`, `scaler.step(optimizer)`."""
    call_closures(machine, node, given)
    return UNKNOWN


def scale_loss(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`scaler.scale(loss)`."""
    held = given.pick(0)
    return ScaledLoss("", held) if isinstance(held, Held) else UNKNOWN


SUFFIXES["torch", "step"] = step_optimizer
for _name in ("torch.amp.GradScaler", "torch.GradScaler", "torch.cuda.amp.GradScaler"):
    LIBRARY[f"{_name}.scale"] = scale_loss
    for _method in ("unscale_", "update"):
        LIBRARY[f"{_name}.{_method}"] = lambda machine, node, given: NONE


def enter_context(path: str, machine: Machine, node: ast.AST, given: Given) -> Value:
    """`torch.autocast("cuda")`; as a decorator it leaves the function as it is."""
    first = given.pick(0)
    if isinstance(first, (Function, Class, Bound)):
        return first
    return machine.hold("object", {"lintorch arguments": given}, External(path))


def count_batches(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`len(loader)`: a number of its own."""
    return Number(None, whole=True)


LIBRARY["torch.utils.data.DataLoader.__len__"] = count_batches
LIBRARY["torch.device"] = lambda machine, node, given: Unknown("torch.device()")
for _name in CONTEXTS:
    LIBRARY[_name] = partial(enter_context, _name)


def list_tensors(method: str, machine: Machine, node: ast.AST, given: Given) -> Value:
    """`model.parameters()`: of what they are is remembered."""
    held = given.pick(0)
    known = (machine.marks or machine.tells_unknown) and isinstance(held, Held)
    return Unknown(f"#{held.address}.{method}()") if known and isinstance(held, Held) else UNKNOWN


for _name in ("parameters", "state_dict"):
    LIBRARY[f"torch.nn.Module.{_name}"] = partial(list_tensors, _name)


_RECOMPUTED = frozenset(
    {
        "use_reentrant",
        "preserve_rng_state",
        "context_fn",
        "determinism_check",
        "debug",
        "early_stop",
    }
)
"""Arguments of `checkpoint` that it does not hand on."""


def run_checkpoint(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`checkpoint(function, x, y)`: what the function gives."""
    if not given.positional:
        return UNKNOWN
    function, *rest = given.positional
    named = {name: value for name, value in given.keyword.items() if name not in _RECOMPUTED}
    return machine.call(node, function, Given(tuple(rest), named, given.open))


def run_checkpoint_row(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`checkpoint_sequential(functions, segments, x)`: what they give one after the other."""
    functions, value = given.pick(0, "functions") or UNKNOWN, given.pick(2, "input") or UNKNOWN
    parts = known_items(machine, functions)
    if parts is None:
        return UNKNOWN
    for part in parts:
        value = machine.call(node, part, Given((value,)))
    return value


LIBRARY["torch.utils.checkpoint.checkpoint"] = run_checkpoint
LIBRARY["torch.utils.checkpoint.checkpoint_sequential"] = run_checkpoint_row
