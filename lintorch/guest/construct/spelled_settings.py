"""Settings that a Python file spells out: parsers of arguments, yacs and its like, mappings, classes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from lintorch.guest.calls.code_text import parse_any_python
from lintorch.guest.construct.literal_values import UnknownValueError, evaluate_literal
from lintorch.guest.construct.tensor_calls import get_last_name

SettingTree = dict[str, Any]


class BegunSettings(dict[str, Any]):
    """Settings that a function of another file begins: `module` is what that is imported as."""

    module = ""


_HOLDERS = frozenset(
    [
        "CN",
        "CfgNode",
        "edict",
        "EasyDict",
        "ConfigDict",
        "AttrDict",
        "Namespace",
        "SimpleNamespace",
        "Dict",
        "Config",
        "Munch",
        "HParams",
        "OmegaConf",
        "create",
        "ConfigNode",
    ]
)
"""Names of what holds settings as attributes."""
_HINT = (
    *(b"add_argument", b"CfgNode", b"CN(", b"edict", b"EasyDict", b"ConfigDict", b"onfig", b"{"),
    *(b"HParams(", b"Namespace(", b"AttrDict(", b"Munch("),
)
_TYPES = {"int": int, "float": float, "str": str}
_BEGINNING = re.compile(
    r"(get|make|load|create)?_?(default|base)?_?(configs?|cfg|settings)(_defaults?)?"
)
"""Functions that begin a set of settings, of which a file tells what it changes: `config = get_default_configs()`."""
_LEAST_CONSTANTS = 3
"""Constants of a class before it is taken for settings."""


def read_python_settings(text: bytes) -> Iterator[SettingTree]:
    """Each set of settings that a file spells out, as nested mappings."""
    if not any(hint in text for hint in _HINT):
        return
    try:
        tree = parse_any_python(text.decode("utf-8", "replace"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    parsed = _read_parsers(tree)
    if parsed:
        yield parsed
    homes = dict(_list_imported(tree))
    bodies = [tree.body]
    bodies += [node.body for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    for body in bodies:
        yield from _read_assigned(body, homes)
    classes = {part.name: part for part in tree.body if isinstance(part, ast.ClassDef)}
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and not _is_model(node):
            constants = dict(_read_constants(node, classes))
            if len(constants) >= _LEAST_CONSTANTS:
                yield constants


def _is_model(node: ast.ClassDef) -> bool:
    return any(get_last_name(base) in ("Module", "LightningModule") for base in node.bases)


def _read_parsers(tree: ast.Module) -> SettingTree:
    """The defaults of all arguments that a file's parsers take, by their names in the namespace."""
    found: SettingTree = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and get_last_name(node.func) == "add_argument":
            with suppress(UnknownValueError):
                name, value = _read_argument(node)
                found.setdefault(name, value)
    return found


def read_command(text: bytes, words: Sequence[str]) -> SettingTree:
    """The arguments of a file's parsers as a command line gives them, the others by their defaults; else nothing."""
    try:
        tree = parse_any_python(text.decode("utf-8", "replace"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    said: SettingTree = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and get_last_name(node.func) == "add_argument":
            with suppress(UnknownValueError, ValueError):
                said |= _read_said(node, words)
    return {**_read_parsers(tree), **said} if said else {}


def _read_said(node: ast.Call, words: Sequence[str]) -> SettingTree:
    """What a command line says of one argument, if anything. Raises UnknownValueError and ValueError."""
    given = {key.arg: key.value for key in node.keywords}
    flags = {evaluate_literal(part, {}) for part in node.args}
    at = next((n for n, word in enumerate(words) if word.partition("=")[0] in flags), -1)
    if at < 0 or not words[at].startswith("-"):
        return {}
    name = _name_argument(node)
    action = getattr(given.get("action"), "value", "")
    if action in ("store_true", "store_false"):
        return {name: action == "store_true"}
    kind = _TYPES.get(get_last_name(given["type"])) if "type" in given else str
    values = [words[at].partition("=")[2]] if "=" in words[at] else []
    for word in () if values else words[at + 1 :]:
        if re.match(r"--?[a-zA-Z]", word):
            break
        values.append(word)
    if kind is None or not values:
        return {}
    several = getattr(given.get("nargs"), "value", None) not in (None, "?", 1)
    return {name: [kind(value) for value in values] if several else kind(values[0])}


def _name_argument(node: ast.Call) -> str:
    """What an argument is called in the namespace. Raises UnknownValueError where that is not spelled out."""
    given = {key.arg: key.value for key in node.keywords}
    names = [evaluate_literal(part, {}) for part in node.args]
    flags = [name for name in names if isinstance(name, str)]
    if not flags:
        raise UnknownValueError("add_argument")
    long = next((name for name in flags if name.startswith("--")), flags[0])
    name = evaluate_literal(given["dest"], {}) if "dest" in given else long
    return str(name).lstrip("-").replace("-", "_")


def _read_argument(node: ast.Call) -> tuple[str, Any]:
    """The name and default of one argument. Raises UnknownValueError where none is spelled out."""
    return _name_argument(node), _read_default({key.arg: key.value for key in node.keywords})


def _read_default(given: dict[str | None, ast.expr]) -> Any:
    action = getattr(given.get("action"), "value", "")
    if action in ("store_true", "store_false") and "default" not in given:
        return action == "store_false"
    if "default" in given:
        value = evaluate_literal(given["default"], {})
    elif "choices" in given and (choices := evaluate_literal(given["choices"], {})):
        value = next(iter(choices))
    else:
        raise UnknownValueError("default")
    if value is None:
        raise UnknownValueError("default")
    if isinstance(value, str) and "choices" in given:
        choices = _read_choices(given["choices"])
        value = value if value in choices or not choices else choices[0]
    kind = _TYPES.get(get_last_name(given["type"])) if "type" in given else None
    several = isinstance(value, str) and getattr(given.get("nargs"), "value", None) in ("+", "*")
    if several and len(words := value.split()) > 1:  # as it is written on a command line
        with suppress(ValueError):
            return [(kind or str)(word) for word in words]
    if isinstance(value, str) and kind is not None:
        with suppress(ValueError):
            value = kind(value)
    return value


def _read_choices(node: ast.expr) -> list[Any]:
    """What an argument may be; empty where that is not spelled out."""
    with suppress(UnknownValueError):
        choices = evaluate_literal(node, {})
        return list(choices) if isinstance(choices, (list, tuple)) else []
    return []


def _list_imported(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Functions that a file imports and that begin settings, each with the module it imports them from."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                if _BEGINNING.fullmatch(alias.name):
                    yield alias.asname or alias.name, node.module


def _read_assigned(body: list[ast.stmt], homes: Mapping[str, str]) -> Iterator[SettingTree]:
    """`config = CN()`, `config.MODEL.WIDTH = 32` and `config = {…}` among statements.

    `homes` says which modules functions come from that begin settings.
    """
    roots: dict[str, SettingTree] = {}
    known: dict[str, Any] = {}
    for node in body:
        if not isinstance(node, ast.Assign):
            continue
        paths = [path for target in node.targets if (path := _split_target(target))]
        with suppress(UnknownValueError):
            value = _read_held_part(node.value, roots, homes)
            if value is None:
                value = _read_value(node.value, known, roots)
            for path in paths:  # `config.model = model = CN()`: one mapping by two names
                _put(path, value, roots, known)
    yield from (root for root in roots.values() if root)


def _read_held_part(
    node: ast.expr, roots: Mapping[str, SettingTree], homes: Mapping[str, str]
) -> SettingTree | None:
    """The mapping that `config.model` already is, or has to be, and an empty one for `get_default_configs()`."""
    if isinstance(node, ast.Call):
        if node.args or node.keywords or get_last_name(node.func) not in homes:
            return None
        begun = BegunSettings()
        begun.module = homes[get_last_name(node.func)]
        return begun
    path = _split_target(node)
    held: Any = roots.get(path[0]) if len(path) > 1 else None
    for key in path[1:]:
        held = held.setdefault(key, {}) if isinstance(held, dict) else None
    return held if isinstance(held, dict) else None


def _put(path: list[str], value: Any, roots: dict[str, SettingTree], known: dict[str, Any]) -> None:
    if len(path) == 1:
        known[path[0]] = value
        if isinstance(value, dict) and all(isinstance(key, str) for key in value):
            roots[path[0]] = value
        return
    if path[0] not in roots:
        return
    holder = roots[path[0]]
    for key in path[1:-1]:
        inner = holder.setdefault(key, {})
        if not isinstance(inner, dict):
            return
        holder = inner
    holder[path[-1]] = value


def _split_target(node: ast.expr) -> list[str]:
    """`a`, `b`, `c` of `a.b["c"]`; nothing for other targets."""
    if isinstance(node, ast.Name):
        return [node.id]
    if isinstance(node, ast.Attribute):
        before = _split_target(node.value)
        return [*before, node.attr] if before else []
    if isinstance(node, ast.Subscript):
        before, key = _split_target(node.value), getattr(node.slice, "value", None)
        return [*before, key] if before and isinstance(key, str) else []
    return []


def _read_value(node: ast.expr, known: dict[str, Any], roots: dict[str, SettingTree]) -> Any:
    """A literal, or what holds settings: `CN()`, `edict({…})`, `dict(a=1)`. Raises UnknownValueError."""
    if isinstance(node, ast.Dict):
        return dict(_read_items(node, known, roots))
    if not isinstance(node, ast.Call):
        return evaluate_literal(node, {**known, "True": True, "False": False})
    name = get_last_name(node.func)
    if name not in _HOLDERS and name != "dict":
        raise UnknownValueError(name)
    held: SettingTree = {}
    if node.args and isinstance(node.args[0], (ast.Dict, ast.Call)):
        held |= _read_value(node.args[0], known, roots)
    for key in node.keywords:
        with suppress(UnknownValueError):
            held |= {key.arg: _read_value(key.value, known, roots)} if key.arg else {}
    return held


def _read_items(
    node: ast.Dict, known: dict[str, Any], roots: dict[str, SettingTree]
) -> Iterator[tuple[Any, Any]]:
    for key, value in zip(node.keys, node.values, strict=True):
        with suppress(UnknownValueError):
            if isinstance(key, ast.Constant):
                yield key.value, _read_value(value, known, roots)


def _read_constants(
    node: ast.ClassDef, classes: Mapping[str, ast.ClassDef]
) -> Iterator[tuple[str, Any]]:
    """What a class holds by names, as its body spells it out, or its constructor puts it into `self`."""
    others = {name: each for name, each in classes.items() if each is not node}
    for part in node.body:
        if isinstance(part, ast.Assign) and isinstance(part.targets[0], ast.Name):
            name, value = part.targets[0].id, part.value
        elif isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name) and part.value:
            name, value = part.target.id, part.value
        elif isinstance(part, ast.FunctionDef) and part.name == "__init__":
            yield from _read_attributes(part.body, others)
            continue
        else:
            continue
        with suppress(UnknownValueError):
            yield name, _read_held(value, others)


def _read_attributes(
    body: list[ast.stmt], classes: Mapping[str, ast.ClassDef]
) -> Iterator[tuple[str, Any]]:
    """`self.width = 32` among statements; of `a if b else 32` the side that is spelled out."""
    for part in body:
        target = part.targets[0] if isinstance(part, ast.Assign) else None
        if not isinstance(part, ast.Assign) or not isinstance(target, ast.Attribute):
            continue
        sides = [part.value]
        if isinstance(part.value, ast.IfExp):
            sides = [part.value.body, part.value.orelse]
        for side in sides if getattr(target.value, "id", "") == "self" else ():
            with suppress(UnknownValueError):
                yield target.attr, _read_held(side, classes)
                break


def _read_held(node: ast.expr, classes: Mapping[str, ast.ClassDef]) -> Any:
    """A value, or what the class beside it holds that is called for it: `self.train = TrainSettings()`."""
    if isinstance(node, ast.Call) and get_last_name(node.func) in classes:
        return dict(_read_constants(classes[get_last_name(node.func)], classes))
    return _read_value(node, {}, {})
