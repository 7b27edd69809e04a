"""Methods that frameworks add to nn.Module."""

from __future__ import annotations

import ast

from lintorch.evaluator.framework_modules import SAVES_SETTINGS
from lintorch.evaluator.library.table import does
from lintorch.evaluator.machine import Machine
from lintorch.evaluator.values import NONE, Constant, External, Given, Held, Value


@does(SAVES_SETTINGS)
def save_settings(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`self.save_hyperparameters()`: what its constructor was given is read from `self.hparams`."""
    held, *chosen = given.positional
    if not isinstance(held, Held):
        return NONE
    whole = len(chosen) == 1 and isinstance(chosen[0], Held)
    kept = chosen[0] if whole else _hold_settings(machine, chosen)
    machine.state.write(held.address)["hparams"] = kept
    return NONE


def _hold_settings(machine: Machine, chosen: list[Value]) -> Held:
    """The parameters of the running function, those that are named, as attributes."""
    spec = getattr(machine.here.node, "args", None)
    names = [each.arg for each in (*spec.args[1:], *spec.kwonlyargs)] if spec is not None else []
    said = {each.value for each in chosen if isinstance(each, Constant)}
    values = machine.state.read(machine.here.frame.address)
    kept = {name: values[name] for name in names if name in values and (not said or name in said)}
    return machine.hold("object", kept, External("types.SimpleNamespace"))
