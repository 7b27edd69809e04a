"""Arguments that a configuration gives a class which it names: `{type: UNet, in_channels: 3}` in YAML.

Registries build models so: `name`, `type`, `_target_` or `class_path` is the class, and what stands
beside it, or below `args` and its like, are the arguments of its constructor.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lintorch.guest.construct.call_examples import CallPlace, Example
from lintorch.guest.construct.parameters import list_required_parameters
from lintorch.guest.construct.project_settings import list_subtrees, read_repository
from lintorch.record.repository import find_repository

_NAMING = ("name", "type", "_target_", "class_path", "target", "arch", "model", "class_name")
_HOLDING = ("args", "params", "param", "init_args", "kwargs", "arguments")
"""Keys below which the arguments stand; also behind the key that names the class: `model_args`; `PARAM` is one."""
_MOST_FOUND = 2
_LEAST_ARGUMENTS = 3
"""Keys of a mapping that names no class, all of them arguments of one, from which it is taken for its arguments."""


class NestedSettings(dict[str, Any]):
    """A mapping of a configuration, whose keys are attributes too."""

    def __getattr__(self, name: str) -> Any:
        if name not in self:
            raise AttributeError(name)
        return self[name]

    __setattr__ = dict.__setitem__


@dataclass(frozen=True)
class _Named:
    """A class by its name, and the file and folders that a dotted name may have before it."""

    name: str
    homes: frozenset[str]

    def is_meant_by(self, value: Any) -> bool:
        """Whether a setting names the class: `UNet`, `nets.unet.UNet`."""
        if not isinstance(value, str):
            return False
        *before, last = value.replace(":", ".").split(".")
        return last == self.name and (not before or before[-1] in self.homes)


def find_registered(call: Callable[..., Any], name: str) -> list[Example]:
    """How configurations of the repository build the class of this name, those that tell most first."""
    try:
        home = Path(inspect.getfile(call)).resolve()
        parameters = inspect.signature(call).parameters
        needed = {each.name for each in list_required_parameters(call)}
    except (OSError, TypeError, ValueError):
        return []
    open_ended = any(each.kind is each.VAR_KEYWORD for each in parameters.values())
    found: list[tuple[int, Example]] = []
    root = find_repository(home.parent)
    kind = _Named(name, frozenset((home.stem, home.parent.name)))
    for shipped in read_repository(root):
        for given in _list_given(shipped.tree, kind, frozenset(parameters)):
            fitting = {k: v for k, v in given.items() if open_ended or k in parameters}
            lacking = len(needed - fitting.keys())
            if fitting and lacking < max(1, len(needed)):
                source = Path(shipped.path).relative_to(root).as_posix()
                kwargs = {key: _wrap(value) for key, value in fitting.items()}
                example = Example(name, (), kwargs, 0, (), CallPlace(source))
                found.append((lacking, example))
    found.sort(key=lambda pair: pair[0])
    return [example for _, example in found[:_MOST_FOUND]]


def _list_given(
    tree: Mapping[str, Any], kind: _Named, parameters: frozenset[str]
) -> Iterator[dict[str, Any]]:
    """What mappings that name the class, stand below its name, or hold nothing but arguments of it, give it.

    Of the last, at least one is a mapping itself: plain numbers by common names are of any class.
    """
    for subtree in list_subtrees(dict(tree)):
        below = subtree.get(kind.name)
        if isinstance(below, dict):
            yield {key: value for key, value in below.items() if isinstance(key, str)}
        lower = {key.lower(): value for key, value in subtree.items() if isinstance(key, str)}
        naming = next((key for key in _NAMING if kind.is_meant_by(lower.get(key))), "")
        if not naming:
            if _holds_arguments_alone(subtree, parameters):
                yield dict(subtree)
            continue
        holding = (*_HOLDING, *(f"{naming}_{key}" for key in _HOLDING))
        below = next((lower[key] for key in holding if isinstance(lower.get(key), dict)), None)
        beside = {key: value for key, value in subtree.items() if str(key).lower() != naming}
        given = beside if below is None else below
        yield {key: value for key, value in given.items() if isinstance(key, str)}


def _holds_arguments_alone(subtree: Mapping[str, Any], parameters: frozenset[str]) -> bool:
    """Whether a mapping has three or more arguments, one of them a mapping, or several that all are."""
    nested = [isinstance(value, dict) for value in subtree.values()]
    several = (len(nested) > 1 and all(nested)) or len(nested) >= _LEAST_ARGUMENTS
    return several and any(nested) and subtree.keys() <= parameters


def _wrap(value: Any) -> Any:
    if isinstance(value, dict):
        return NestedSettings({key: _wrap(part) for key, part in value.items()})
    return [_wrap(part) for part in value] if isinstance(value, list) else value
