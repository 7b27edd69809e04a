"""Arguments for constructors that need some: by what they say of them, then by conventional names."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import nn

from lintorch.guest.construct import tiny_configs
from lintorch.guest.construct.array_arguments import make_array, make_graph_setting
from lintorch.guest.construct.compared_values import find_compared_values, find_counted_number
from lintorch.guest.construct.conventional_values import (
    SIDE_NAMES,
    VALUE_BY_NAME,
    GuessedConfig,
    guess_by_name,
    make_vocabulary,
    names_vocabulary,
)
from lintorch.guest.construct.documented_numbers import find_documented_numbers
from lintorch.guest.construct.fit_arguments import fit_together
from lintorch.guest.construct.found_settings import (
    FoundSettings,
    is_settings_parameter,
    make_found_settings,
)
from lintorch.guest.construct.make_sequence import make_sequence
from lintorch.guest.construct.parameters import (
    NOT_SAID,
    list_required_parameters,
    pick_allowed_value,
    read_annotation,
)
from lintorch.guest.construct.part_models import (
    find_called_attributes,
    find_called_names,
    find_part_class,
)
from lintorch.guest.construct.project_settings import find_shipped_number, find_shipped_word
from lintorch.guest.construct.sequence_lengths import find_sequence_lengths
from lintorch.guest.construct.setting_paths import find_settings_read

_VALUE_BY_ANNOTATION: tuple[tuple[str, Any], ...] = (
    ("bool", False),
    ("float", 0.1),
    ("int", 8),
    ("str", ""),
    ("Dict", {}),
    ("dict", {}),
)
_MOST_LETTERS = 60
"""Letters of an argument that are shown, at most."""
_SEQUENCE = re.compile(r"Sequence|List|list\[|list$|Tuple|tuple|Iterable")
_OR_ONE = re.compile(r"(^|\| ?|Union\[|, ?)(int|float)( ?\||\]?$|,)")
"""An annotation that allows one number in place of several."""
_DEEPEST_PART = 2
"""Models made to be arguments of models that are arguments themselves; deeper ones are `nn.Identity`."""

_SETTING_ANNOTATIONS = frozenset(
    (
        "",
        "Any",
        "dict",
        "Dict",
        "DictConfig",
        "Namespace",
        "CfgNode",
        "ConfigDict",
    )
)
"""What is written of a parameter that is a configuration, without its module and what it holds."""
CONFIG_NAMES = frozenset(("config", "cfg", "conf", "args", "opt", "opts", "hparams", "params"))


def fill_arguments(
    call: Callable[..., Any],
    needed: list[inspect.Parameter],
    depth: int = 0,
    given: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """A value for each parameter of `needed`, by name, beside those that are `given`.

    `depth` counts the models that this is inside of.
    """
    made = {parameter.name: _fill_parameter(call, parameter, depth) for parameter in needed}
    known = {**(given or {}), **made}
    _put_graphs(call, made, known)
    arrays = {name: array for name in made if (array := make_array(call, name, known)) is not None}
    return {**fit_together(call, made), **arrays}


def _put_graphs(
    call: Callable[..., Any], made: Mapping[str, Any], known: Mapping[str, Any]
) -> None:
    """The matrices of graphs among settings that were made up: `args.adj`."""
    for name, settings in made.items():
        for use in find_settings_read(call, name) if isinstance(settings, FoundSettings) else ():
            key = use.path[-1]
            graph = make_graph_setting(call, key, known) if len(use.path) == 1 else None
            if graph is not None and type(settings.get(key)) is int:
                settings[key] = graph


def has_conventional_value(call: Callable[..., Any], parameter: inspect.Parameter) -> bool:
    """Whether the value made up for a parameter is more than a try."""
    if is_sequence_parameter(call, parameter) or parameter.name.lower() in CONFIG_NAMES:
        return False
    return parameter.name.lower() in VALUE_BY_NAME or read_annotation(parameter) in (
        "bool",
        "float",
    )


def is_sequence_parameter(call: Callable[..., Any], parameter: inspect.Parameter) -> bool:
    """Whether a parameter takes several values."""
    written = read_annotation(parameter)
    if _SEQUENCE.search(written):
        return not _OR_ONE.search(_strip_brackets(written))
    return not written and parameter.name in find_sequence_lengths(call)


def _strip_brackets(written: str) -> str:
    """An annotation without what stands in brackets, but for those of a Union."""
    while (shorter := re.sub(r"(?<!Union)(?<!Optional)\[[^\[\]]*\]", "", written)) != written:
        written = shorter
    return written


def shrink_big_sides(call: Callable[..., Any]) -> dict[str, Any]:
    """Small values for sides of images that are big by default; none where there is no signature."""
    found: dict[str, Any] = {}
    try:
        parameters = inspect.signature(call).parameters
    except (TypeError, ValueError):
        return {}
    for name, parameter in parameters.items():
        small, given = VALUE_BY_NAME.get(name), parameter.default
        if name not in SIDE_NAMES or small is None:
            continue
        if type(given) is int and given > small:
            found[name] = small
        elif isinstance(given, (tuple, list)) and given and max(given) > small:
            found[name] = tuple(min(side, small) for side in given)
    return found


def disable_pretrained(call: Callable[..., Any]) -> dict[str, Any]:
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


def describe_arguments(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments as values that travel: plain ones as they are, the others in a few letters."""
    return {name: _describe_value(value) for name, value in arguments.items()}


def _describe_value(value: Any) -> Any:
    if value is None or isinstance(value, (int, float, str, bool)):
        return value
    text = getattr(value, "__name__", None) or repr(value)
    return text if len(text) <= _MOST_LETTERS and "\n" not in text else f"{type(value).__name__}(…)"


def _fill_parameter(call: Callable[..., Any], parameter: inspect.Parameter, depth: int) -> Any:
    name, written = parameter.name.lower(), read_annotation(parameter)
    config = tiny_configs.find_config_class(call, parameter)
    if config is not None:
        return tiny_configs.make_tiny_config(config)
    if name in CONFIG_NAMES and written in ("", "Any"):
        nearby = tiny_configs.make_nearby_config(call)
        if nearby is not None:
            return nearby
    plain = written.partition("[")[0].rpartition(".")[2]
    if plain in _SETTING_ANNOTATIONS and is_settings_parameter(call, parameter):
        return make_found_settings(call, parameter.name)
    if name in CONFIG_NAMES and written in ("", "Any"):
        return GuessedConfig()
    if (record := make_settings_record(call, parameter, depth)) is not None:
        return record
    if (allowed := pick_allowed_value(call, parameter)) is not NOT_SAID:
        return allowed
    if written in ("", "str", "int") and (choices := find_compared_values(call, parameter.name)):
        return find_shipped_word(call, parameter.name, choices)
    if counted := find_counted_number(call, parameter.name):
        return counted
    if not written and (shown := find_documented_numbers(call, parameter.name)):
        return shown
    if is_sequence_parameter(call, parameter):
        if not written and names_vocabulary(name):
            return make_vocabulary()
        made = make_sequence(name, _find_length(call, parameter), written)
        return list(made) if written.lower().startswith("list") else made
    if depth < _DEEPEST_PART and name not in VALUE_BY_NAME:
        kind = find_part_class(call, parameter)
        if kind is not None:
            is_class = parameter.name in find_called_names(call) or written.lower().startswith(
                "type["
            )
            return kind if is_class else _build_part(kind, depth)
        if not written and parameter.name in find_called_attributes(call) - find_called_names(call):
            return nn.Identity()
    if name not in VALUE_BY_NAME and written in ("", "int", "float"):
        made, shipped = _fill_plain(name, written), find_shipped_number(call, parameter.name)
        return made if shipped is None or type(made) not in (int, float) else shipped
    return _fill_plain(name, written)


def make_settings_record(call: Callable[..., Any], parameter: inspect.Parameter, depth: int) -> Any:
    """A dataclass of the user's that the annotation names, small where its sizes are not given; None where it is none."""
    kind = tiny_configs.resolve_annotation(call, parameter)
    if depth >= _DEEPEST_PART or not dataclasses.is_dataclass(kind) or not inspect.isclass(kind):
        return None
    if issubclass(kind, nn.Module):
        return None
    needed = list_required_parameters(kind)
    made = fill_arguments(kind, needed, depth + 1)
    usual = {p.name: tiny_configs.guess_setting(p.name) for p in needed}
    made |= {name: value for name, value in usual.items() if value is not None}
    try:
        return kind(**tiny_configs.shrink_record(kind, made))
    except Exception:  # whatever user code raises
        return None


def _find_length(call: Callable[..., Any], parameter: inspect.Parameter) -> int:
    """How long a sequence is to be; 0 where nothing tells."""
    beside = inspect.signature(call).parameters.keys()
    if "shape" in parameter.name and "in_channels" in beside:  # so it holds no channels
        return find_sequence_lengths(call).get(parameter.name, 0) or VALUE_BY_NAME["spatial_dims"]
    return find_sequence_lengths(call).get(parameter.name, 0)


def _build_part(kind: type[nn.Module], depth: int) -> nn.Module:
    """A model of that class; one that changes nothing where it cannot be made."""
    try:
        return kind(**fill_arguments(kind, list_required_parameters(kind), depth + 1))
    except Exception:  # whatever a constructor raises
        return nn.Identity()


def _fill_plain(name: str, written: str) -> Any:
    if "Module" in written and "type" not in written.lower() and "Callable" not in written:
        return nn.Identity()
    if written.endswith("device"):
        return torch.device("cpu")
    for word, value in _VALUE_BY_ANNOTATION:
        if word in written and name not in VALUE_BY_NAME:
            return value
    return guess_by_name(name)
