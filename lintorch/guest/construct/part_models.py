"""Models that a constructor wants for arguments: of the class that is named or used like them."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from torch import nn

from lintorch.guest.construct.function_text import parse_source_of
from lintorch.guest.construct.parameters import read_annotation
from lintorch.guest.construct.sibling_models import (
    find_sibling_model,
    list_attributes,
    list_own_models,
)


def find_part_class(call: Any, parameter: inspect.Parameter) -> type[nn.Module] | None:
    """The class of model that a parameter is for; None where it is for something else."""
    words = {
        *re.findall(r"\w+", read_annotation(parameter)),
        *_find_asserted_classes(call, parameter.name),
    }
    wanted = parameter.name.replace("_", "").lower()
    uses = _find_uses_of(call, parameter.name)
    known = list(dict.fromkeys(_list_nearby_models(call)))
    for kind in known:
        if kind.__name__ in words and kind is not call:
            return kind
    fitting = [
        kind for kind in known if uses and kind is not call and uses <= list_attributes(kind)
    ]
    named = [kind for kind in known if kind.__name__.lower() == wanted and kind is not call]
    for kind in (*(kind for kind in named if kind in fitting or not uses), *fitting, *named):
        return kind
    return find_sibling_model(call, wanted, uses)


@lru_cache(maxsize=256)
def find_called_attributes(call: Callable[..., Any]) -> frozenset[str]:
    """Names of the attributes that a class calls as functions, and of what it keeps as them.

    `x` of `self.x(…)`, and `net` of `self.x = net` beside it.
    """
    nodes = [*ast.walk(_parse_text_of(call, whole=True))]
    called = {
        name for node in nodes if isinstance(node, ast.Call) and (name := _name_own(node.func))
    }
    kept = {
        node.value.id
        for node in nodes
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name)
        if called.intersection(map(_name_own, node.targets))
    }
    return frozenset(called | kept)


def _name_own(node: ast.expr) -> str:
    """`x` of `self.x`, "" of anything else."""
    own = isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "self"
    return node.attr if own and isinstance(node, ast.Attribute) else ""


def _find_asserted_classes(call: Callable[..., Any], name: str) -> Iterator[str]:
    """The names of classes of which an argument is asserted to be."""
    asserts = (n for n in ast.walk(_parse_text_of(call, whole=False)) if isinstance(n, ast.Assert))
    for part in (part for node in asserts for part in ast.walk(node)):
        if isinstance(part, ast.Call) and getattr(part.func, "id", "") == "isinstance":
            of, kinds = part.args
            wanted = ast.walk(kinds) if getattr(of, "id", "") == name else ()
            yield from (node.id for node in wanted if isinstance(node, ast.Name))


def _find_uses_of(call: Callable[..., Any], name: str) -> frozenset[str]:
    found: frozenset[str] = find_used_attributes(call).get(name, frozenset())
    return found


@lru_cache(maxsize=256)
def find_called_names(call: Callable[..., Any]) -> frozenset[str]:
    """Names that the text of a class calls: what is passed for them is no model but makes one."""
    return frozenset(
        node.func.id
        for node in ast.walk(_parse_text_of(call, whole=True))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    )


@lru_cache(maxsize=256)
def find_used_attributes(call: Callable[..., Any]) -> dict[str, frozenset[str]]:
    """The attributes that a class asks of each name, or of what it keeps by that name."""
    found: dict[str, set[str]] = {}
    for node in ast.walk(_parse_text_of(call, whole=True)):
        if isinstance(node, ast.Attribute):
            holder = node.value
            if isinstance(holder, ast.Name):
                found.setdefault(holder.id, set()).add(node.attr)
            elif isinstance(holder, ast.Attribute) and getattr(holder.value, "id", "") == "self":
                found.setdefault(holder.attr, set()).add(node.attr)
    common = set(dir(nn.Module))
    return {name: frozenset(attributes - common) for name, attributes in found.items()}


def _list_nearby_models(call: Callable[..., Any]) -> Iterator[type[nn.Module]]:
    """Model classes that the file of `call` knows, then those of the files that it imports from."""
    scope = dict(vars(inspect.getmodule(call) or inspect))
    homes = [sys.modules.get(getattr(value, "__module__", None) or "") for value in scope.values()]
    for names in (scope, *(vars(home) for home in homes if home and _is_same_package(home, call))):
        yield from list_own_models(names)


def _is_same_package(home: Any, call: Callable[..., Any]) -> bool:
    """Whether a module is of the same package."""
    return str(home.__name__).partition(".")[0] == call.__module__.partition(".")[0]


def _parse_text_of(call: Callable[..., Any], whole: bool) -> ast.AST:
    return parse_source_of(call.__init__ if inspect.isclass(call) and not whole else call)
