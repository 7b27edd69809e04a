"""How a model was built: as a program that builds it again, and as settings of lintorch."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import functools
import math
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, SimpleNamespace
from typing import Any

import torch

from lintorch.guest.construct.found_settings import FoundSettings
from lintorch.guest.imports.notebook_modules import is_held
from lintorch.record.user_files import package_root

_PLAIN_TYPES = (str, int, bool, bytes, complex, type(None))
_BRACKETS: dict[type, tuple[str, str]] = {list: ("[", "]"), tuple: ("(", ")")}
_NAMESPACES = (argparse.Namespace, SimpleNamespace)
_NAMED_TYPES = (type, FunctionType, BuiltinFunctionType)
_FOREIGN_FOLDERS = ("site-packages", "dist-packages")


@dataclass(frozen=True)
class Recipe:
    """A class or factory, and what it was called with."""

    call: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]

    def write_statements(self, project: str) -> list[str]:
        """Statements that set `model`. Raises ValueError where something cannot be written as text."""
        module, path = locate_definition(self.call)
        if is_held(path):
            raise ValueError(f"{path.name} is a notebook, which a program cannot import")
        kwargs = {name: value for name, value in self.kwargs.items() if name.isidentifier()}
        given = [
            *map(write_value, self.args),
            *(f"{name}={write_value(v)}" for name, v in kwargs.items()),
        ]
        return [
            f"sys.path[:0] = {find_import_folders(path, project)!r}",
            *_write_loading(module, path),
            "seed()",
            f"model = named({module!r}, {self.call.__qualname__!r})({', '.join(given)})",
            "if isinstance(model, (tuple, list)):",
            "    model = model[0]",
        ]


def locate_definition(value: Any) -> tuple[str, Path]:
    """The module that something is defined in at the top level, and its file."""
    module = sys.modules.get(getattr(value, "__module__", None) or "")
    path = getattr(module, "__file__", None)
    found: Any = module
    for name in getattr(value, "__qualname__", "?").split("."):
        found = getattr(found, name, None)
    if module is None or path is None or found is None or found != value:
        raise ValueError(f"{value!r} has no name at the top level of a module")
    return module.__name__, Path(path).resolve()


def find_import_folders(path: Path, project: str) -> list[str]:
    """The folders that the file's imports were looked for in: those of its project."""
    root = package_root(path)
    inside = [
        os.path.realpath(folder)
        for folder in sys.path
        if folder and Path(os.path.realpath(folder)).is_relative_to(project)
    ]
    mine = [folder for folder in inside if not any(part in folder for part in _FOREIGN_FOLDERS)]
    return list(dict.fromkeys([str(root), *mine]))


def _write_loading(module: str, path: Path) -> Sequence[str]:
    """A file outside of packages is loaded by its path, whatever else has its name."""
    return () if package_root(path) != path.parent else (f"load({module!r}, {str(path)!r})",)


def _spell_by_module(module: str, name: str) -> str:
    return f"named({module!r}, {name!r})"


def write_value(value: Any, spell: Callable[[str, str], str] = _spell_by_module) -> str:
    """A value as an expression; `spell` writes what a name of a module stands for. Raises ValueError."""
    if type(value) is float:
        return repr(value) if math.isfinite(value) else f"float({str(value)!r})"
    if type(value) in _PLAIN_TYPES:
        return repr(value)
    if type(value) in _BRACKETS:
        parts = ", ".join(write_value(part, spell) for part in value)
        left, right = _BRACKETS[type(value)]
        return f"{left}{parts}{',' * (type(value) is tuple and len(value) == 1)}{right}"
    if type(value) is dict:
        pairs = ((write_value(k, spell), write_value(v, spell)) for k, v in value.items())
        return "{" + ", ".join(f"{key}: {part}" for key, part in pairs) + "}"
    if isinstance(value, torch.dtype):
        return str(value)
    if isinstance(value, _NAMED_TYPES):
        module, _ = locate_definition(value)
        return spell(module, value.__qualname__)
    if type(value) is functools.partial:
        return _write_partial(value, spell)
    if isinstance(value, FoundSettings):
        return _write_found(value, spell)
    if dataclasses.is_dataclass(value):
        return _write_dataclass(value, spell)
    if type(value) in _NAMESPACES and all(map(str.isidentifier, vars(value))):
        given = ", ".join(f"{k}={write_value(v, spell)}" for k, v in vars(value).items())
        return f"{spell(type(value).__module__, type(value).__name__)}({given})"
    raise ValueError(f"an argument of type {type(value).__name__} cannot be written as text")


def _write_dataclass(value: Any, spell: Callable[[str, str], str]) -> str:
    """The call that makes an instance again, without what is as by default. Raises ValueError."""
    module, _ = locate_definition(type(value))
    given = []
    for field in dataclasses.fields(value):
        held = getattr(value, field.name, None)
        if field.init and not _is_default(field, held):
            given.append(f"{field.name}={write_value(held, spell)}")
    return f"{spell(module, type(value).__qualname__)}({', '.join(given)})"


def _write_partial(value: functools.partial[Any], spell: Callable[[str, str], str]) -> str:
    given = [write_value(each, spell) for each in (value.func, *value.args)]
    named = [f"{name}={write_value(each, spell)}" for name, each in value.keywords.items()]
    return f"{spell('functools', 'partial')}({', '.join((*given, *named))})"


_SETTINGS = 'type("Settings", (dict,), {"__getattr__": lambda s, name: s[name] if name in s else object.__getattribute__(s, name)})'
"""A class of settings that are asked for as attributes or as items."""


def _write_found(value: FoundSettings, spell: Callable[[str, str], str]) -> str:
    """Settings that code reads either way, without those that have no text."""
    held: dict[str, str] = {}
    for name, each in value.list_used().items():
        with contextlib.suppress(ValueError):
            held[name] = f"{write_value(name, spell)}: {write_value(each, spell)}"
    return f"{_SETTINGS}({{{', '.join(held.values())}}})"


def _is_default(field: dataclasses.Field[Any], held: Any) -> bool:
    return type(field.default) is type(held) and bool(field.default == held)


def write_settings(recipe: Recipe, project: str) -> tuple[str, Mapping[str, Any], tuple[str, ...]]:
    """The factory, the arguments that TOML has a value for, and the names of the others.

    No factory where it lies outside the project, has no name there, or takes unnamed arguments.
    """
    try:
        _, path = locate_definition(recipe.call)
    except ValueError:
        return "", {}, ()
    inner = os.path.relpath(path, os.path.realpath(project))
    if recipe.args or inner.startswith(os.pardir) or "." in recipe.call.__qualname__:
        return "", {}, ()
    plain = {name: value for name, value in recipe.kwargs.items() if _has_toml_form(value)}
    factory = f"{inner.replace(os.sep, '/')}:{recipe.call.__qualname__}"
    return factory, plain, tuple(name for name in recipe.kwargs if name not in plain)


def _has_toml_form(value: Any) -> bool:
    if type(value) in (list, tuple):
        return all(map(_has_toml_form, value))
    if type(value) is dict:
        return all(type(key) is str and _has_toml_form(part) for key, part in value.items())
    return type(value) in (bool, int, str) or (type(value) is float and math.isfinite(value))
