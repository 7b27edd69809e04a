"""Settings that a command line gives: what `argparse` makes of the defaults."""

from __future__ import annotations

import ast
from contextlib import suppress
from typing import Any

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
    Number,
    Value,
)

PARSER = "argparse.ArgumentParser"
_OPTIONS = "lintorch options"
"""The attribute under which a parser keeps the dictionary of its options."""
_TYPES: dict[str, type] = {"int": int, "float": float, "str": str, "bool": bool}


@does(PARSER)
def make_parser(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`argparse.ArgumentParser()`."""
    return machine.hold("object", {_OPTIONS: machine.hold("dict", {})}, External(PARSER))


@does(f"{PARSER}.add_argument_group", f"{PARSER}.add_mutually_exclusive_group")
def make_group(machine: Machine, node: ast.AST, given: Given) -> Value:
    """A group of options is its parser's."""
    return given.pick(0) or UNKNOWN


@does(f"{PARSER}.add_argument")
def add_option(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`parser.add_argument("--width", type=int, default=64)`."""
    options, name = _options_of(machine, given.pick(0)), _option_name(given)
    if options is not None and name:
        machine.state.write(options.address)[name] = _default_value(given)
    return NONE


@does(f"{PARSER}.set_defaults")
def set_defaults(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`parser.set_defaults(width=64)`."""
    options = _options_of(machine, given.pick(0))
    if options is not None:
        machine.state.write(options.address).update(given.keyword)
    return NONE


@does(f"{PARSER}.parse_args")
def parse_options(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`parser.parse_args()`: every option as it is where nothing is given."""
    options = _options_of(machine, given.pick(0))
    held = dict(machine.state.read(options.address)) if options is not None else {}
    return machine.hold("object", held, External("argparse.Namespace"))


@does(f"{PARSER}.parse_known_args")
def parse_known_options(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`parser.parse_known_args()`."""
    return Items("tuple", (parse_options(machine, node, given), machine.hold_list(None)))


def _options_of(machine: Machine, parser: Value | None) -> Held | None:
    if not isinstance(parser, Held):
        return None
    options = machine.state.read(parser.address).get(_OPTIONS)
    return options if isinstance(options, Held) else None


def _option_name(given: Given) -> str:
    """The attribute that an option becomes."""
    named = given.keyword.get("dest")
    if isinstance(named, Constant):
        return str(named.value)
    words = [str(each.value) for each in given.positional[1:] if isinstance(each, Constant)]
    long = [word for word in words if word.startswith("--")] or words
    return long[0].lstrip("-").replace("-", "_") if long else ""


def _default_value(given: Given) -> Value:
    action = given.keyword.get("action")
    default = given.keyword.get("default")
    if isinstance(action, Constant) and action.value in ("store_true", "store_false"):
        return default or Constant(action.value == "store_false")
    if default is None:
        required = given.keyword.get("required") == Constant(True)
        positional = isinstance(given.pick(1), Constant) and not _is_option(given.pick(1))
        return _unknown_of(given) if required or positional else NONE
    return _convert_text(given, default)


def _is_option(value: Value | None) -> bool:
    return isinstance(value, Constant) and str(value.value).startswith("-")


def _unknown_of(given: Given) -> Value:
    kind = given.keyword.get("type")
    numeric = isinstance(kind, External) and kind.path in ("int", "float")
    return Number(None, numeric and kind == External("int"), False) if numeric else UNKNOWN


def _convert_text(given: Given, default: Value) -> Value:
    """A default that is a text is read as the option's type reads it."""
    kind = given.keyword.get("type")
    if not isinstance(default, Constant) or not isinstance(default.value, str):
        return default
    if isinstance(kind, External) and kind.path in _TYPES:
        convert: Any = _TYPES[kind.path]
        with suppress(ValueError):
            return Constant(convert(default.value))
    return default if kind is None else UNKNOWN
