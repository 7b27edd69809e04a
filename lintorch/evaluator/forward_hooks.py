"""Hooks that a model hangs on its own parts while it is built: they run behind each call of the part.

Those that a script hangs on a model later look at it, and are not followed.
"""

from __future__ import annotations

import ast

from lintorch.evaluator.machine import Machine
from lintorch.evaluator.values import NONE, Bound, Function, Given, Held, Items, Unknown, Value

_HOOKS = "lintorch hooks"


def hang_hook(machine: Machine, part: Value | None, hook: Value | None) -> None:
    """Note a hook, where a constructor of a module is running and it is code of the project."""
    building = any(each.name.endswith(".__init__") for each in machine.stack)
    if not building or not isinstance(part, Held) or not isinstance(hook, (Function, Bound)):
        return
    machine.hooked.add(part.address)
    content = machine.state.write(part.address)
    known = content.get(_HOOKS)
    earlier = known.items if isinstance(known, Items) and known.items else ()
    content[_HOOKS] = Items("tuple", (*earlier, hook))


def run_hooks(machine: Machine, node: ast.AST, part: Held, given: Given, result: Value) -> Value:
    """What a part gives once its hooks have run: what a hook gives back takes the place of it."""
    hooks = machine.state.read(part.address).get(_HOOKS)
    if given.keyword or given.open or not isinstance(hooks, Items):
        return result
    for hook in hooks.items or ():
        changed = machine.call(node, hook, Given((part, Items("tuple", given.positional), result)))
        if changed != NONE and not isinstance(changed, Unknown):
            result = changed
    return result
