"""Methods of texts, where all that is asked is known."""

from __future__ import annotations

import ast
from contextlib import suppress

from lintorch.evaluator.library.table import LIBRARY, Handler, does
from lintorch.evaluator.machine import Machine
from lintorch.evaluator.torch_version import VersionText
from lintorch.evaluator.truth import known_items
from lintorch.evaluator.values import UNKNOWN, Constant, Given, Value

_METHODS = (
    "lower", "upper", "strip", "lstrip", "rstrip", "startswith", "endswith", "replace", "title",
    "capitalize", "isdigit", "find", "count", "removeprefix", "removesuffix", "format",
)  # fmt: skip


def _ask(name: str) -> Handler:
    def ask(machine: Machine, node: ast.AST, given: Given) -> Value:
        if given.open or not all(isinstance(each, Constant) for each in given.values):
            return UNKNOWN
        first, *rest = (each.value for each in given.positional if isinstance(each, Constant))
        named = {k: v.value for k, v in given.keyword.items() if isinstance(v, Constant)}
        with suppress(Exception):
            return Constant(getattr(first, name)(*rest, **named))
        return UNKNOWN

    return ask


for _name in _METHODS:
    LIBRARY[f"str.{_name}"] = _ask(_name)


@does("str.split", "str.rsplit")
def split_text(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`text.split(",")`."""
    plain = [each.value for each in given.positional if isinstance(each, Constant)]
    if len(plain) != len(given.positional) or given.keyword:
        return UNKNOWN
    with suppress(Exception):
        return machine.hold_list(tuple(map(Constant, plain[0].split(*plain[1:]))))
    return UNKNOWN


@does("str.join")
def join_texts(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`"".join(texts)`."""
    items = known_items(machine, given.pick(1) or UNKNOWN)
    texts = [each.value for each in items or () if isinstance(each, Constant)]
    glue = given.pick(0)
    if items is None or len(texts) != len(items) or not isinstance(glue, Constant):
        return UNKNOWN
    with suppress(Exception):
        return Constant(glue.value.join(texts))
    return UNKNOWN


@does("str")
def to_text(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`str(x)`."""
    value = given.pick(0) or Constant("")
    return Constant(str(value.value)) if isinstance(value, Constant) else UNKNOWN


@does(
    "packaging.version.parse", "packaging.version.Version", "pkg_resources.parse_version",
    "distutils.version.LooseVersion", "distutils.version.StrictVersion",
    "setuptools._distutils.version.LooseVersion", "torch.torch_version.TorchVersion",
)  # fmt: skip
def parse_version(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`version.parse("1.8.0")`, which compares by its numbers."""
    value = given.pick(0, "version") or given.pick(0, "vstring")
    if isinstance(value, Constant) and isinstance(value.value, str):
        return Constant(VersionText(value.value))
    return UNKNOWN
