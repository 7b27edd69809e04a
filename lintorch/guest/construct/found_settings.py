"""A configuration made of what a repository ships: each setting is there as attribute and as key."""

from __future__ import annotations

import copy
import inspect
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import nn

from lintorch.guest.construct.conventional_values import VALUE_BY_NAME, guess_by_name, make_table
from lintorch.guest.construct.make_sequence import make_sequence
from lintorch.guest.construct.part_models import find_called_names, find_part_class
from lintorch.guest.construct.project_settings import ChosenSettings, choose_settings
from lintorch.guest.construct.setting_paths import SettingPath, SettingUse, find_settings_read
from lintorch.guest.construct.tiny_configs import guess_setting
from lintorch.guest.imports.cpu_for_gpu import name_cpu

CONFIG_NAME = re.compile(
    r"(\w+_)?(configs?|cfgs?|confs?|args|opts?|hparams?|hps?|params|options|settings|flags)"
)
_COUNTED = re.compile(
    r"vocab|alphabet|((num|n|size|len)_(of_)?(labels?|tags?|words?|chars?|class(es)?|users?|items?|nodes?))"
    r"|(label|tag|word|char|class|user|item|node)s?_(num|size|count)"
)
"""Sizes of what is counted in data, which are 0 until a script has counted."""
_DATA_NAME = re.compile(r"(\w+_)?(data|dataset|corpus|meta|metadata|info|env)")
_LEAST_READ = 2
"""Attributes that are read of an argument before it is taken for settings whatever its name."""
_NO_SETTINGS = frozenset(
    name for kind in (nn.Module, torch.Tensor, str, list) for name in dir(kind)
)
_ORDINARY = frozenset(
    ("type", "norm", "dim", "scale", "size", "name", "format", "training", "mode")
)
"""Names of attributes of those that settings have as well."""


class FoundSettings(dict[str, Any]):
    """Settings by name; what is not known is made up when it is asked for.

    `optional` are settings that the asking code has defaults of its own for.
    """

    def __init__(
        self, values: Mapping[str, Any], origin: str = "", optional: frozenset[str] = frozenset()
    ):
        super().__init__(values)
        self._origin, self._optional = origin, optional
        self._made_up: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or (name not in self and name in self._optional):
            raise AttributeError(name)
        return self[name]

    def __missing__(self, name: str) -> Any:
        return self._made_up.setdefault(name, guess_setting_by_name(name))

    def list_used(self) -> dict[str, Any]:
        """What it holds, and what was made up for code that asked."""
        return {**self, **self._made_up}

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_"):
            super().__setattr__(name, value)
        else:
            self[name] = value

    def __repr__(self) -> str:
        return f"from {self._origin}" if self._origin else "made up"


class _Counted(int):
    """A number that a method of an object tells: `dataset.num(field)`."""

    def __call__(self, *given: Any, **named: Any) -> int:
        return int(self)


def is_settings_parameter(call: Callable[..., Any], parameter: inspect.Parameter) -> bool:
    """Whether a parameter is a configuration of which settings are read by name."""
    read = find_settings_read(call, parameter.name)
    if CONFIG_NAME.fullmatch(parameter.name.lower()):
        return bool(read)
    least = 1 if _DATA_NAME.fullmatch(parameter.name.lower()) else _LEAST_READ
    if len(read) < least or parameter.name in find_called_names(call):
        return False
    asked = {use.path[0] for use in read if _NO_SETTINGS.issuperset(use.path)}
    return not asked & (_NO_SETTINGS - _ORDINARY) and find_part_class(call, parameter) is None


def make_found_settings(call: Callable[..., Any], name: str) -> FoundSettings:
    """The configuration that a parameter takes, from files of the repository as far as they tell."""
    read = find_settings_read(call, name)
    chosen = choose_settings(call, read) or ChosenSettings({}, {}, "")
    tree = copy.deepcopy(chosen.tree)
    for use in read:
        value = chosen.values.get(use.path, _ABSENT)
        if value is not _ABSENT or not use.optional:
            _put_setting(tree, use.path, _fit_value(value, use))
    made: FoundSettings = _wrap(tree, _shorten_origin(chosen.path), read)
    return made


class ShippedSettings(FoundSettings):
    """Settings by name of which none is made up: what is not known is `unknown`."""

    unknown: Any = None

    def __missing__(self, name: str) -> Any:
        return self.unknown


def find_shipped_settings(call: Callable[..., Any], name: str, unknown: Any) -> Any:
    """The configuration that a function takes, of what its repository ships; `unknown` where that holds too little."""
    read = find_settings_read(call, name)
    chosen = choose_settings(call, read) if read else None
    if chosen is None:
        return unknown
    tree = copy.deepcopy(chosen.tree)
    for path, value in chosen.values.items():
        _put_setting(tree, path, value)
    made = ShippedSettings(_wrap(tree, "", ()), _shorten_origin(chosen.path))
    vars(made)["unknown"] = unknown
    return made


_ABSENT = object()


def _put_setting(tree: dict[str, Any], path: SettingPath, value: Any) -> None:
    for key in path[:-1]:
        if not isinstance(tree.get(key), dict):
            tree[key] = {}
        tree = tree[key]
    tree[path[-1]] = value


def _fit_value(value: Any, use: SettingUse) -> Any:
    """The value as it is used: `"3,4,5"` of a command line is a list where it is gone through."""
    name = use.path[-1].lower()
    if "pretrain" in name and isinstance(value, (bool, str)):
        return type(value)()
    if type(value) is int and value == 0 and _COUNTED.search(name):
        value = _ABSENT
    if value is _ABSENT and use.called:
        made = _guess_setting(name, False)
        return _Counted(made) if type(made) is int else made
    if value is _ABSENT:
        known = name in VALUE_BY_NAME or use.several
        return False if use.tested and not known else _guess_setting(name, use.several)
    if isinstance(value, str) and (cpu := name_cpu(value)) != value:
        return cpu
    if use.several and isinstance(value, str) and (numbers := re.findall(r"\d+\.?\d*", value)):
        return [float(number) if "." in number else int(number) for number in numbers]
    if use.several and type(value) in (int, float):
        return [value]
    return value


def guess_setting_by_name(name: str) -> Any:
    """A small value for a setting of this name."""
    return _guess_setting(name.lower(), False)


def _guess_setting(name: str, several: bool) -> Any:
    if (table := make_table(name)) is not None:
        return table
    if several:
        return list(make_sequence(name, 0))
    known = guess_setting(name)
    return guess_by_name(name) if known is None else known


def _wrap(value: Any, origin: str, read: Sequence[SettingUse]) -> Any:
    """Mappings as settings, at all depths."""
    if isinstance(value, list):
        return [_wrap(part, origin, ()) for part in value]
    if not isinstance(value, dict):
        return value
    held = {
        key: _wrap(part, origin, [_drop_first(use) for use in read if use.path[0] == key])
        for key, part in value.items()
    }
    optional = frozenset(use.path[0] for use in read if use.optional and use.path)
    return FoundSettings(held, origin, optional)


def _drop_first(use: SettingUse) -> SettingUse:
    return replace(use, path=use.path[1:] or ("",))


def _shorten_origin(path: str) -> str:
    """The last folders of a path."""
    return os.sep.join(path.split(os.sep)[-3:])
