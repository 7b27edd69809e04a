"""argparse: what a script is called with where nobody says otherwise."""

from __future__ import annotations

import ast
import re

from lintorch.evaluator.library.table import does
from lintorch.evaluator.machine import Machine
from lintorch.evaluator.values import (
    NONE,
    UNKNOWN,
    Constant,
    External,
    Given,
    Held,
    Items,
    Value,
)

_PARSER = "argparse.ArgumentParser"
_ARGUMENTS = "lintorch script arguments"
_DEVICE = re.compile(r"(cuda|gpu|cpu|mps|xpu|npu)(:\d+)?")
NAMESPACE = "argparse.Namespace"


@does(f"{_PARSER}.add_argument")
def add_argument(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`parser.add_argument("--width", type=int, default=64)`."""
    held = given.pick(0)
    name = _name_argument(given)
    if isinstance(held, Held) and name:
        content = machine.state.write(held.address)
        content[_ARGUMENTS] = {**content.get(_ARGUMENTS, {}), name: _read_default(given)}
    return UNKNOWN


def _name_argument(given: Given) -> str:
    """The attribute that it becomes."""
    told = given.keyword.get("dest")
    if isinstance(told, Constant):
        return str(told.value)
    words = [each.value for each in given.positional[1:] if isinstance(each, Constant)]
    texts = [each for each in words if isinstance(each, str)]
    long = next((each for each in texts if each.startswith("--")), texts[0] if texts else "")
    return long.lstrip("-").replace("-", "_")


def _read_default(given: Given) -> Value:
    """What it is where the script is called without it, which one that is `required` never is."""
    action = given.keyword.get("action")
    if isinstance(action, Constant) and action.value in ("store_true", "store_false"):
        return given.keyword.get("default") or Constant(action.value == "store_false")
    default = given.keyword.get("default", UNKNOWN)
    unsaid = default == NONE or given.keyword.get("required") == Constant(True)
    return UNKNOWN if unsaid or _is_device(default) else default


def _is_device(value: Value) -> bool:
    """Whether it names a device: which one there is, says who calls the script."""
    return isinstance(value, Constant) and bool(_DEVICE.fullmatch(str(value.value)))


@does(f"{_PARSER}.set_defaults")
def set_defaults(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`parser.set_defaults(width=64)`."""
    held = given.pick(0)
    if isinstance(held, Held):
        content = machine.state.write(held.address)
        content[_ARGUMENTS] = {**content.get(_ARGUMENTS, {}), **given.keyword}
    return NONE


@does(f"{_PARSER}.add_argument_group", f"{_PARSER}.add_mutually_exclusive_group")
def add_group(machine: Machine, node: ast.AST, given: Given) -> Value:
    """What is added to a group is added to the parser."""
    return given.pick(0) or UNKNOWN


@does(f"{_PARSER}.parse_args")
def parse_arguments(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`parser.parse_args()`."""
    held = given.pick(0)
    known = machine.state.read(held.address).get(_ARGUMENTS, {}) if isinstance(held, Held) else {}
    return machine.hold("object", known, External(NAMESPACE))


@does(f"{_PARSER}.parse_known_args")
def parse_some(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`args, rest = parser.parse_known_args()`."""
    return Items("tuple", (parse_arguments(machine, node, given), machine.hold_list(None)))


@does("vars")
def list_attributes(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`vars(args)`."""
    held = given.pick(0)
    if not isinstance(held, Held) or held.kind != "object":
        return UNKNOWN
    content = machine.state.read(held.address)
    known = {key: each for key, each in content.items() if isinstance(each, Value)}
    return machine.hold("dict", {**known, "open": UNKNOWN})
