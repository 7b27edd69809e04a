"""The modules that a module holds, by name."""

from __future__ import annotations

from lintorch.evaluator.join import ITEMS
from lintorch.evaluator.machine import Machine
from lintorch.evaluator.objects import is_foreign_model, is_module_class
from lintorch.evaluator.values import Held, Value


def name_children(machine: Machine, held: Value | None) -> dict[str, Value] | None:
    """In the order in which they were given to it; None where they are not known."""
    if not isinstance(held, Held) or not is_module_class(held.of) or is_foreign_model(held):
        return None
    content = machine.state.read(held.address)
    items = content.get(ITEMS)
    if items is not None:
        return {str(number): each for number, each in enumerate(items)}
    own = {k: v for k, v in content.items() if isinstance(k, str)}
    return {k: v for k, v in own.items() if isinstance(v, Held) and is_module_class(v.of)}
