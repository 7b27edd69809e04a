"""Which settings a constructor reads of a configuration: `cfg.MODEL.EXTRA["STAGE2"]` is three steps of one."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from torch import nn

from lintorch.guest.construct.function_text import parse_source_of

SettingPath = tuple[str, ...]
"""The keys or attributes to a setting, from the configuration on."""
_OF_MAPPINGS = frozenset(
    ("get", "keys", "items", "values", "pop", "update", "copy", "clone", "freeze", "defrost")
)
_OF_WORDS = frozenset(
    (
        *("lower", "upper", "strip", "lstrip", "rstrip", "split", "rsplit", "startswith"),
        *("endswith", "casefold", "capitalize", "isdigit", "encode"),
    )
)
"""What is called of a setting that is a word."""
_READING_METHODS = frozenset(("get", "pop"))
_ITERATING_FUNCTIONS = frozenset(
    ("len", "enumerate", "zip", "list", "tuple", "sum", "max", "min", "reversed", "sorted", "prod")
)
_DEEPEST_CALL = 4
"""Classes inside each other into which a configuration is followed."""


@dataclass(frozen=True)
class SettingUse:
    """A setting that is read.

    `several`: as several values; `optional`: with a default of the code's own, or after it was set
    there; `tested`: for its truth; `called`: as a method, `dataset.num(field)`.
    """

    path: SettingPath
    several: bool = False
    optional: bool = False
    tested: bool = False
    called: bool = False


@lru_cache(maxsize=256)
def find_settings_read(call: Callable[..., Any], name: str) -> tuple[SettingUse, ...]:
    """What is read of the argument `name` of a class or function, and of what it passes that on to."""
    found: dict[SettingPath, SettingUse] = {}
    for use in _find_in_call(call, name, (), 0):
        known = found.get(use.path, use)
        found[use.path] = SettingUse(
            use.path,
            use.several or known.several,
            use.optional or known.optional,
            use.tested or known.tested,
            use.called or known.called,
        )
    return tuple(found.values())


def _find_in_call(
    call: Callable[..., Any], name: str, before: SettingPath, depth: int
) -> Iterator[SettingUse]:
    reader = _SettingReader(name, before)
    tree = parse_source_of(call)
    for _ in range(2):  # what methods read, a later one may keep
        reader.note_aliases(tree)
    reader.read_uses(tree)
    yield from reader.list_uses()
    if depth < _DEEPEST_CALL:
        for callee, keyword, path in reader.find_passed(call):
            yield from _find_in_call(callee, keyword, path, depth + 1)


class _SettingReader:
    """Reads the text of one class; `aliases` says which names stand for which settings."""

    def __init__(self, name: str, before: SettingPath) -> None:
        self._aliases: dict[str, SettingPath] = {name: before}
        self._before = before
        self._found: set[SettingPath] = set()
        self._several: set[SettingPath] = set()
        self._optional: set[SettingPath] = set()
        self._tested: set[SettingPath] = set()
        self._called: set[SettingPath] = set()
        self._calls: list[ast.Call] = []

    def note_aliases(self, tree: ast.AST) -> None:
        """`self.cfg = cfg` and `extra = cfg.MODEL.EXTRA` give settings further names."""
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign) and len(node.targets) == 1:
                path = self._read_path(node.value)
                name = _write_name(node.targets[0])
                if path is not None and name:
                    self._aliases.setdefault(name, path)

    def read_uses(self, tree: ast.AST) -> None:
        """Note each setting that is read, and the calls that may pass some on."""
        counters = set(_list_counters(tree))
        for node in ast.walk(tree):
            if isinstance(node, ast.Subscript) and getattr(node.slice, "id", "") in counters:
                self._note(self._read_path(node.value), self._several)
            if isinstance(node, (ast.Attribute, ast.Subscript, ast.Call, ast.Name)):
                self._note(self._read_path(node), self._found)
            if isinstance(node, ast.Call):
                self._calls.append(node)
                self._note(self._read_path(node.func), self._called)
                has_default = len(node.args) > 1 + (getattr(node.func, "id", "") == "getattr")
                self._note(self._read_call(node) if has_default else None, self._optional)
            is_stored = isinstance(getattr(node, "ctx", None), ast.Store)
            if is_stored and _write_name(node) not in self._aliases:
                self._note(self._read_path(node), self._optional)
            for part in _list_tested(node):
                self._note(self._read_path(part), self._tested)
            for part in _list_iterated(node):
                self._note(self._read_path(part), self._several)

    def list_uses(self) -> Iterator[SettingUse]:
        """The settings themselves, without those that only hold others."""
        inner = {path[:count] for path in self._found for count in range(len(path))}
        for path in sorted(self._found - inner):
            kept = (self._several, self._optional, self._tested, self._called)
            yield SettingUse(path, *(path in each for each in kept))

    def find_passed(
        self, call: Callable[..., Any]
    ) -> Iterator[tuple[Callable[..., Any], str, SettingPath]]:
        """The classes and functions of the file to which a configuration is passed on, and by what name."""
        scope = vars(inspect.getmodule(call) or inspect)
        for node in self._calls:
            callee = _find_callee(node.func, scope, call)
            if callee is None:
                continue
            names = _list_names(callee)
            given = [
                *zip(names, node.args, strict=False),
                *((key.arg or "", key.value) for key in node.keywords),
            ]
            for keyword, value in given:
                path = self._read_path(value)
                if path is not None and keyword in names:
                    yield callee, keyword, path

    def _note(self, path: SettingPath | None, kept: set[SettingPath]) -> None:
        if path and path != self._before:
            kept.add(path)

    def _read_path(self, node: ast.AST) -> SettingPath | None:
        if (name := _write_name(node)) in self._aliases and name:
            return self._aliases[name]
        if isinstance(node, ast.Attribute):
            is_method = node.attr in _OF_MAPPINGS or node.attr in _OF_WORDS
            return None if is_method else self._extend(node.value, node.attr)
        if isinstance(node, ast.Subscript):
            return self._extend(node.value, getattr(node.slice, "value", None))
        if isinstance(node, ast.Call):
            return self._read_call(node)
        return None

    def _read_call(self, node: ast.Call) -> SettingPath | None:
        """`cfg.get("x")` and `getattr(cfg, "x")`."""
        first = getattr(node.args[0], "value", None) if node.args else None
        if isinstance(node.func, ast.Attribute) and node.func.attr in _READING_METHODS:
            return self._extend(node.func.value, first)
        if getattr(node.func, "id", "") == "getattr" and len(node.args) > 1:
            return self._extend(node.args[0], getattr(node.args[1], "value", None))
        return None

    def _extend(self, holder: ast.AST, key: object) -> SettingPath | None:
        path = self._read_path(holder)
        return (*path, key) if path is not None and isinstance(key, str) else None


def _write_name(node: ast.AST) -> str:
    """`x`, and `self.x`; "" for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "self":
        return f"self.{node.attr}"
    return ""


def _list_counters(tree: ast.AST) -> Iterator[str]:
    """`k` of `for k in range(…)`."""
    for node in ast.walk(tree):
        match node:
            case ast.For(ast.Name(name), ast.Call(ast.Name("range"))):
                yield name


def _list_tested(node: ast.AST) -> list[ast.expr]:
    """What a piece of code asks for its truth."""
    if isinstance(node, (ast.If, ast.IfExp, ast.While, ast.Assert)):
        return [node.test]
    if isinstance(node, ast.BoolOp):
        return node.values
    is_not = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    return [node.operand] if isinstance(node, ast.UnaryOp) and is_not else []


def _list_iterated(node: ast.AST) -> list[ast.expr]:
    """What a piece of code takes for several values."""
    if isinstance(node, (ast.For, ast.comprehension)):
        return [node.iter]
    if isinstance(node, ast.Starred):
        return [node.value]
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") in _ITERATING_FUNCTIONS:
        compares = ast.unparse(node.func) in ("max", "min") and len(node.args) > 1
        return [] if compares else list(node.args)
    if isinstance(node, ast.Subscript):
        whole = isinstance(node.slice, (ast.Slice, ast.UnaryOp))
        return [node.value] if whole or type(getattr(node.slice, "value", None)) is int else []
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], (ast.Tuple, ast.List)):
        return [node.value]
    return []


def _find_callee(
    func: ast.expr, scope: Mapping[str, Any], call: Callable[..., Any]
) -> Callable[..., Any] | None:
    """A class or function of the user's that a name stands for; the base class of `super().__init__`."""
    if isinstance(func, ast.Attribute) and func.attr == "__init__" and inspect.isclass(call):
        base = next((kind for kind in call.__mro__[1:] if "__init__" in vars(kind)), None)
        return base if base not in (None, nn.Module, object) else None
    found = scope.get(getattr(func, "id", ""))
    is_own = inspect.isclass(found) or inspect.isfunction(found)
    return found if is_own and not found.__module__.startswith("torch.") else None


def _list_names(callee: Callable[..., Any]) -> list[str]:
    try:
        return list(inspect.signature(callee).parameters)
    except (TypeError, ValueError):
        return []
