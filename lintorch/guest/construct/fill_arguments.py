"""Arguments for constructors that need some: by what they say of them, then by conventional names."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any

from torch import nn

from lintorch.guest.construct import tiny_configs
from lintorch.guest.construct.choices import NOT_SAID, choice
from lintorch.guest.construct.conventional_values import (
    KNOWN,
    SIDES,
    Guessed,
    by_name,
)
from lintorch.guest.construct.parameters import annotation, required
from lintorch.guest.construct.part_models import called, kind_of, run
from lintorch.guest.construct.sequence_lengths import lengths
from lintorch.guest.construct.sequences import sequence

_BY_ANNOTATION: tuple[tuple[str, Any], ...] = (
    ("bool", False),
    ("float", 0.1),
    ("int", 8),
    ("str", ""),
    ("Dict", {}),
    ("dict", {}),
)
_MOST_LETTERS = 60
_SEQUENCE = re.compile(r"Sequence|List|list\[|list$|Tuple|tuple|Iterable")
_OR_ONE = re.compile(r"(^|\| ?|Union\[|, ?)(int|float)( ?\||\]?$|,)")
"""An annotation that allows one number in place of several."""
_DEEPEST = 2

CONFIG_NAMES = frozenset(("config", "cfg", "conf", "args", "opt", "opts", "hparams", "params"))


def fill(
    call: Callable[..., Any], needed: list[inspect.Parameter], depth: int = 0
) -> dict[str, Any]:
    """A value for each parameter that `call` cannot do without, by name."""
    return {parameter.name: _value(call, parameter, depth) for parameter in needed}


def is_known(call: Callable[..., Any], parameter: inspect.Parameter) -> bool:
    """Whether the value made up for a parameter is more than a try."""
    if is_sequence(call, parameter) or parameter.name.lower() in CONFIG_NAMES:
        return False
    return parameter.name.lower() in KNOWN or annotation(parameter) in ("bool", "float")


def is_sequence(call: Callable[..., Any], parameter: inspect.Parameter) -> bool:
    """Whether a parameter takes several values."""
    written = annotation(parameter)
    if _SEQUENCE.search(written):
        return not _OR_ONE.search(_outermost(written))
    return not written and parameter.name in lengths(call)


def _outermost(written: str) -> str:
    """An annotation without what stands in brackets, but for those of a Union."""
    while (shorter := re.sub(r"(?<!Union)(?<!Optional)\[[^\[\]]*\]", "", written)) != written:
        written = shorter
    return written


def smaller(call: Callable[..., Any]) -> dict[str, Any]:
    """Small values for sides of images that are big by default."""
    found: dict[str, Any] = {}
    for name, parameter in inspect.signature(call).parameters.items():
        small, given = KNOWN.get(name), parameter.default
        if name not in SIDES or small is None:
            continue
        if type(given) is int and given > small:
            found[name] = small
        elif isinstance(given, (tuple, list)) and given and max(given) > small:
            found[name] = (small,) * len(given)
    return found


def offline(call: Callable[..., Any]) -> dict[str, Any]:
    """Arguments that keep a constructor from fetching weights where it does so by default."""
    try:
        parameters = inspect.signature(call).parameters
    except (TypeError, ValueError):
        return {}
    return {
        name: False
        for name, parameter in parameters.items()
        if "pretrain" in name and parameter.default is True
    }


def shown(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments as values that travel: plain ones as they are, the others in a few letters."""
    return {name: _shown(value) for name, value in arguments.items()}


def _shown(value: Any) -> Any:
    if value is None or isinstance(value, (int, float, str, bool)):
        return value
    text = getattr(value, "__name__", None) or repr(value)
    return text if len(text) <= _MOST_LETTERS and "\n" not in text else f"{type(value).__name__}(…)"


def _value(call: Callable[..., Any], parameter: inspect.Parameter, depth: int) -> Any:
    name, written = parameter.name.lower(), annotation(parameter)
    config = tiny_configs.config_class(call, parameter)
    if config is not None:
        return tiny_configs.config(config)
    if name in CONFIG_NAMES and written in ("", "Any"):
        nearby = tiny_configs.nearby(call)
        return Guessed() if nearby is None else nearby
    if (said := choice(call, parameter)) is not NOT_SAID:
        return said
    if is_sequence(call, parameter):
        made = sequence(name, _length(call, parameter), written)
        return list(made) if written.lower().startswith("list") else made
    if depth < _DEEPEST and name not in KNOWN:
        kind = kind_of(call, parameter)
        if kind is not None:
            is_class = parameter.name in called(call) or written.lower().startswith("type[")
            return kind if is_class else _part(kind, depth)
        if not written and parameter.name in run(call) - called(call):
            return nn.Identity()
    return _plain(name, written)


def _length(call: Callable[..., Any], parameter: inspect.Parameter) -> int:
    """How long a sequence is to be; 0 where nothing tells."""
    beside = inspect.signature(call).parameters.keys()
    if "shape" in parameter.name and "in_channels" in beside:  # so it holds no channels
        return lengths(call).get(parameter.name, 0) or KNOWN["spatial_dims"]
    return lengths(call).get(parameter.name, 0)


def _part(kind: type[nn.Module], depth: int) -> nn.Module:
    """A model of that class; one that changes nothing where it cannot be made."""
    try:
        return kind(**fill(kind, required(kind), depth + 1))
    except Exception:  # whatever a constructor raises
        return nn.Identity()


def _plain(name: str, written: str) -> Any:
    if "Module" in written and "type" not in written.lower() and "Callable" not in written:
        return nn.Identity()
    for word, value in _BY_ANNOTATION:
        if word in written and name not in KNOWN:
            return value
    return by_name(name)
