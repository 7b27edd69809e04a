"""Settings that a repository ships: the set that holds most of what a constructor reads."""

from __future__ import annotations

import inspect
import itertools
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

from lintorch.guest.calls.script_commands import list_commands
from lintorch.guest.construct.setting_paths import SettingPath, SettingUse
from lintorch.guest.construct.spelled_settings import (
    BegunSettings,
    SettingTree,
    read_command,
    read_python_settings,
)
from lintorch.guest.process.deadline import clock
from lintorch.record.repository import find_repository

_ENDINGS = (".py", ".yaml", ".yml", ".json", ".conf", ".toml")
_MOST_FILES, _LARGEST_FILE = 600, 200_000
"""Files that are read, at most, and bytes of each."""
_MOST_SECONDS = 3.0
_DEEPEST_SUBTREE = 3
_LEAST_SHARE = 0.5
"""Of the settings that are read: what a set must hold to be taken for the one that is meant."""
_MOST_COMMANDS = 40
"""Models that the command lines of one script name."""
_NAMING = frozenset(("--model", "--arch", "--net", "--network", "--model_name", "--backbone", "-a"))
"""Options that say which model a script is started for."""
_ABSENT = object()
_REFERENCE = re.compile(r"\$\{(\w+(?:\.\w+)*)\}")
_NUMBER = re.compile(r"[+-]?\d+(\.\d*)?[eE][+-]?\d+")


@dataclass(frozen=True)
class ShippedSettings:
    """One set of settings, and the file that it stands in."""

    tree: SettingTree
    path: str


@dataclass(frozen=True)
class ChosenSettings:
    """The set that holds most of the settings that are read, and its file.

    `values` are those of all that are read, by their paths, also from other sets.
    """

    tree: SettingTree
    values: Mapping[SettingPath, Any]
    path: str


def choose_settings(call: Callable[..., Any], uses: Sequence[SettingUse]) -> ChosenSettings | None:
    """What the repository of a class gives for the settings it reads; None where it gives too little."""
    try:
        home = Path(inspect.getfile(call)).resolve()
    except (OSError, TypeError):
        return None
    paths = [use.path for use in uses]
    words = {home.stem.lower(), call.__name__.lower(), home.parent.name.lower()}
    held = [
        (subtree, shipped.path, sum(_look_up(subtree, path) is not _ABSENT for path in paths))
        for shipped in read_repository(find_repository(home.parent))
        for subtree in list_subtrees(shipped.tree)
    ]
    held = [each for each in held if each[2]]
    held.sort(
        key=lambda each: (-each[2], -_is_named(each[0], words), -_count_shared(each[1], home))
    )
    if not held or held[0][2] < _LEAST_SHARE * len(paths):
        return None
    values: dict[SettingPath, Any] = {}
    for path in paths:
        found = (_look_up(subtree, path) for subtree, _, _ in held)
        value = next((value for value in found if value is not _ABSENT), _ABSENT)
        if value is not _ABSENT:
            values[path] = value
    return ChosenSettings(held[0][0], values, held[0][1])


def find_shipped_number(call: Callable[..., Any], name: str) -> int | float | None:
    """The number that the repository of a class gives by this very name, in the file that is nearest to it."""
    found = _find_shipped(call, name, lambda value: type(value) in (int, float))
    return None if found is _ABSENT else found


def find_shipped_word(call: Callable[..., Any], name: str, words: Sequence[Any]) -> Any:
    """Of several words, or numbers, that which the repository gives by this very name; else the first."""
    found = _find_shipped(call, name, lambda v: any(type(v) is type(w) and v == w for w in words))
    return words[0] if found is _ABSENT else found


def _find_shipped(call: Callable[..., Any], name: str, fits: Callable[[Any], bool]) -> Any:
    try:
        home = Path(inspect.getfile(call)).resolve()
    except (OSError, TypeError):
        return _ABSENT
    held = [
        (-_count_shared(shipped.path, home), number, value)
        for number, shipped in enumerate(read_repository(find_repository(home.parent)))
        for subtree in list_subtrees(shipped.tree)
        if (value := subtree.get(name, _ABSENT)) is not _ABSENT and fits(value)
    ]
    return min(held, key=lambda each: each[:2])[2] if held else _ABSENT


def _look_up(tree: Any, path: SettingPath) -> Any:
    for key in path:
        if not isinstance(tree, dict) or key not in tree:
            return _ABSENT
        tree = tree[key]
    return tree


def list_subtrees(tree: SettingTree, depth: int = 0) -> Iterator[SettingTree]:
    """A mapping of settings and those inside it."""
    yield tree
    if depth < _DEEPEST_SUBTREE:
        for part in tree.values():
            if isinstance(part, dict):
                yield from list_subtrees(part, depth + 1)


def _is_named(tree: SettingTree, words: set[str]) -> bool:
    """Whether settings name the class or its file."""
    held = (part for subtree in list_subtrees(tree) for part in subtree.values())
    return any(isinstance(value, str) and value.lower() in words for value in held)


def _count_shared(path: str, home: Path) -> int:
    """How many folders two files share."""
    return len(os.path.commonpath((path, str(home))).split(os.sep))


@lru_cache(maxsize=8)
def read_repository(root: Path) -> tuple[ShippedSettings, ...]:
    """All sets of settings that a repository ships."""
    late = clock() + _MOST_SECONDS
    found: list[ShippedSettings] = []
    for number, path in enumerate(_list_files(root)):
        if number >= _MOST_FILES or clock() > late:
            break
        found += (ShippedSettings(tree, str(path)) for tree in _read_file(path, root))
    return tuple(_finish(each, found) for each in found)


def _finish(shipped: ShippedSettings, others: Sequence[ShippedSettings]) -> ShippedSettings:
    """The set on top of what the other file says that its function begins with."""
    if not isinstance(shipped.tree, BegunSettings):
        return shipped
    ending = os.sep + shipped.tree.module.lstrip(".").replace(".", os.sep) + ".py"
    begun = (each.tree for each in others if each.path.endswith(ending))
    return replace(shipped, tree=_merge(next(begun, {}), shipped.tree))


def _merge(below: SettingTree, above: SettingTree) -> SettingTree:
    """What both hold; where both tell, what stands above."""
    merged = {**below, **above}
    for key in below.keys() & above.keys():
        if isinstance(below[key], dict) and isinstance(above[key], dict):
            merged[key] = _merge(below[key], above[key])
    return merged


def _list_files(root: Path) -> Iterator[Path]:
    """Files that may hold settings: those of folders that are named for them first."""
    found: list[tuple[bool, str]] = []
    for folder, inner, names in os.walk(root):
        inner[:] = sorted(name for name in inner if not name.startswith((".", "__")))
        for name in sorted(names):
            path = os.path.join(folder, name)
            if name.endswith(_ENDINGS):
                found.append((not re.search(r"conf|cfg|option|param|arg|train|main", path), path))
        if len(found) > 4 * _MOST_FILES:
            break
    for _, path in sorted(found, key=lambda each: each[0]):
        try:
            small = os.path.getsize(path) <= _LARGEST_FILE
        except OSError:
            continue
        if small:
            yield Path(path)


def _read_file(path: Path, root: Path) -> list[SettingTree]:
    try:
        text = path.read_bytes()
        if path.suffix == ".py":
            return [*_read_commands(path, text, root), *read_python_settings(text)]
        loaded = _load(path, text)
        if isinstance(loaded, dict) and path.suffix != ".json" and _is_group(path.parent):
            loaded = {path.parent.name: loaded}
    except Exception:  # of any parser
        return []
    return [_resolve(loaded, loaded)] if isinstance(loaded, dict) else []


def _read_commands(path: Path, text: bytes, root: Path) -> Iterator[SettingTree]:
    """What a script's arguments are as texts of the repository start it: one set for each model that they name."""
    seen: set[str] = set()
    for words in list_commands(root, path.name) if b"add_argument" in text else ():
        named = next((value for flag, value in itertools.pairwise(words) if flag in _NAMING), "")
        if named not in seen and len(seen) < _MOST_COMMANDS and (tree := read_command(text, words)):
            seen.add(named)
            yield tree


@lru_cache(maxsize=256)
def _is_group(folder: Path) -> bool:
    """Whether each file of a folder is one choice of a group of settings, as hydra has it: `defaults` above name it."""
    named = re.compile(
        rf"^defaults:.*^\s*-\s*(override )?{re.escape(folder.name)}\s*:", re.M | re.S
    )
    above = [path for path in folder.parent.glob("*.y*ml") if path.stat().st_size <= _LARGEST_FILE]
    return any(named.search(path.read_text("utf-8", "replace")) for path in above)


def _resolve(value: Any, root: SettingTree, depth: int = 0) -> Any:
    """With `${data.length}` for what that names, as OmegaConf has it, and `1e-5`, which YAML takes for a word, a number."""
    if isinstance(value, dict):
        return {key: _resolve(part, root, depth) for key, part in value.items()}
    if isinstance(value, list):
        return [_resolve(part, root, depth) for part in value]
    if not isinstance(value, str):
        return value
    if (named := _REFERENCE.fullmatch(value)) and depth < _DEEPEST_SUBTREE:
        found = _look_up(root, tuple(named[1].split(".")))
        return value if found is _ABSENT else _resolve(found, root, depth + 1)
    return float(value) if _NUMBER.fullmatch(value) else value


def _load(path: Path, text: bytes) -> Any:
    """What a file of settings holds, in the language that it is written in."""
    if path.suffix == ".toml":
        return import_module("tomllib").loads(text.decode())  # of Python 3.11 and later
    written_as_json = path.suffix == ".json" or text.lstrip().startswith(b"{")
    return json.loads(text) if written_as_json else _load_yaml(text)


def _load_yaml(text: bytes) -> Any:
    """What a file holds, in one document or several; nothing where the interpreter has no reader of YAML."""
    try:
        yaml = import_module("yaml")
    except ImportError:
        return None
    loaded = [*yaml.load_all(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))]
    if len(loaded) == 1:
        return loaded[0]
    return {key: part for each in loaded if isinstance(each, dict) for key, part in each.items()}
