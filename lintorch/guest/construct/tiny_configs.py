"""Configuration objects in the manner of transformers, made small; nothing is downloaded."""

from __future__ import annotations

import dataclasses
import inspect
import typing
from collections.abc import Callable, Mapping
from typing import Any

_TINY_SETTINGS: dict[str, Any] = {
    "hidden_size": 32,
    "d_model": 32,
    "n_embd": 32,
    "dim": 32,
    "embed_dim": 32,
    "embedding_size": 32,
    "projection_dim": 32,
    "num_hidden_layers": 2,
    "num_layers": 2,
    "num_decoder_layers": 2,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "n_layer": 2,
    "n_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 4,
    "num_heads": 4,
    "n_head": 4,
    "n_heads": 4,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "head_dim": 8,
    "d_kv": 8,
    "d_ff": 37,
    "intermediate_size": 37,
    "hidden_dim": 37,
    "encoder_ffn_dim": 37,
    "decoder_ffn_dim": 37,
    "n_inner": 37,
    "vocab_size": 99,
    "image_size": 32,
    "patch_size": 8,
    "max_position_embeddings": 64,
    "n_positions": 64,
    "use_cache": False,
}
"""Settings that fit together: widths of 32 in 4 heads of 8, sides of 32 pixels in patches of 8."""
_HUGE = 2048
"""From which a width is one of a model of billions of weights."""
_ABSENT = object()
_TOKEN_SETTINGS = ("pad_token_id", "bos_token_id", "eos_token_id", "decoder_start_token_id")
_TOKEN_OF = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 0}


def find_config_class(call: Callable[..., Any], parameter: inspect.Parameter) -> type | None:
    """The class of a `config` argument, from its annotation or the model's `config_class`."""
    annotation = resolve_annotation(call, parameter)
    for option in (annotation, *typing.get_args(annotation)):
        if inspect.isclass(option) and hasattr(option, "to_dict") and hasattr(option, "model_type"):
            return option
    if parameter.name in ("config", "cfg"):
        given = getattr(call, "config_class", None)
        return given if inspect.isclass(given) else None
    return None


def resolve_annotation(call: Callable[..., Any], parameter: inspect.Parameter) -> Any:
    """What an annotation names, also one that is written in quotes; None where that is not known."""
    annotation = parameter.annotation
    if not isinstance(annotation, str):
        return annotation
    try:
        scope = getattr(inspect.getmodule(call), "__dict__", {})
        return scope.get(annotation.strip("'\""))
    except (AttributeError, TypeError):
        return None


def shrink_record(kind: type, given: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of a dataclass of settings: those `given`, and small ones of common names where one is huge, or yet to be set."""
    defaults = {
        field.name: field.default
        for field in dataclasses.fields(kind)
        if type(field.default) is int and field.name in _TINY_SETTINGS
    }
    odd = any(size > _HUGE or size < 0 for size in defaults.values())
    tiny = {name: _TINY_SETTINGS[name] for name in defaults} if odd else {}
    return {**tiny, **given}


def make_nearby_config(call: Callable[..., Any]) -> Any | None:
    """An instance of the one configuration class that the module of `call` knows, if there is one."""
    scope = getattr(inspect.getmodule(call), "__dict__", {})
    kinds = {
        value
        for name, value in scope.items()
        if inspect.isclass(value) and name.endswith(("Config", "Args", "Params"))
    }
    found = []
    for kind in kinds:
        try:
            found.append(make_tiny_config(kind) if hasattr(kind, "model_type") else kind())
        except Exception:  # whatever user code raises
            continue
    return found[0] if len(found) == 1 else None


def guess_setting(name: str) -> Any:
    """A small value for a setting of a common name; None where the name is not common."""
    if "drop" in name:
        return 0.1
    if name in ("hidden_act", "activation", "act", "activation_function"):
        return "gelu"
    return 1e-5 if name.endswith("eps") else _TINY_SETTINGS.get(name)


def make_tiny_config(kind: type) -> Any:
    """A small instance of a configuration class; parts that are configurations are small too."""
    default = kind()
    if _has_stages(default):
        return default
    values = {
        name: value
        for name, value in _TINY_SETTINGS.items()
        if _is_whole_number_setting(getattr(default, name, _ABSENT), name, kind)
    }
    if "vocab_size" in values:
        values |= {name: _TOKEN_OF[name] for name in _TOKEN_SETTINGS if hasattr(default, name)}
    parts = getattr(kind, "sub_configs", {})
    values |= {
        name: make_tiny_config(part).to_dict()
        for name, part in parts.items()
        if inspect.isclass(part) and part.__name__ != "AutoConfig"
    }
    try:
        return kind(**values)
    except Exception:  # a class that checks its settings against one another
        return default


def _has_stages(default: Any) -> bool:
    """Whether a model is made of stages, whose sizes depend on one another."""
    stages = (getattr(default, name, None) for name in ("depths", "hidden_sizes"))
    return any(isinstance(sizes, (list, tuple)) for sizes in stages)


def _is_whole_number_setting(now: Any, name: str, kind: type) -> bool:
    """Whether a setting that is `now` by default takes a whole number."""
    if now is None or now is _ABSENT:
        return name in inspect.signature(kind).parameters
    return isinstance(now, int)
