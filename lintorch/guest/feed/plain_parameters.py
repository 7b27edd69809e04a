"""Which arguments of `forward` are no tensors, and of what kind: by annotation, default, use and name."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from torch import nn

from lintorch.guest.construct.parameters import read_annotation
from lintorch.guest.feed.guess_lengths import is_named_as_lengths
from lintorch.guest.feed.parameter_uses import (
    ParameterUses,
    PlainKind,
    PlainParameter,
    read_parameter_uses,
)

_KIND_OF_ANNOTATION = {
    "bool": PlainKind.FLAG,
    "int": PlainKind.COUNT,
    "float": PlainKind.NUMBER,
    "str": PlainKind.WORD,
}
_ONE_OR_NONE = re.compile(r"^(?:typing\.)?Optional\[(\w+)\]$|^(\w+) ?\| ?None$")
_PAIR_ANNOTATION = re.compile(
    r"^(typing\.)?([Tt]uple|[Ll]ist)\[int(, ?(int|\.\.\.))*\]$|^torch\.Size$"
)
_SIDE_NAMES = re.compile(
    r"h|w|t|[HWTD][\dpft]?|(feat|img|image|patch|map|grid|token|out|in|target|orig|new|num)_[hwHW]"
    r"|(\w+_)?(height|width)"
)
_NO_CALLS = 99
_TOO_SHORT = frozenset(("h", "w", "t", "T", "D"))
"""Names that stand for a side beside another side only: alone they may be a state or a time."""
_SIDES_NAMES = re.compile(
    r"x_size|hw|hw_shapes?|(\w+_)?(sizes?|shapes?|resolution)|thw|t_h_w|spatial_(dims|shapes?)"
)
_FLAG_NAMES = re.compile(
    r"(return|is|use|with|need|has|do|only|output|enable|get|apply|no|should|test|keep)_\w+"
    r"|\w+_(only|mode|flag)|inference|training|train|eval|test|testing|flag|debug|verbose"
    r"|deploy|augment|profile|visuali[sz]e|sampling|reverse|inverse|bidirectional|causal"
)
_COUNT_NAMES = re.compile(
    r"(num|n|max|top|nb)_\w+|iters?|iterations|(\w+_)?(iters|steps|len|length|layers|level)|topk|repeat\w*|epoch|sf|upscale(_factor)?"
)
_NUMBER_NAMES = re.compile(
    r"scale|scale_factor|alpha|beta|tau|temperature|lambda\w*|eps|gain|ratio|threshold|\w*_(scale|ratio|weight|rate|thresh|threshold)"
)
_STATE_NAMES = re.compile(
    r"(\w+_)?(hidden|states?|hx|h0|c0|cache|memory|mems|past\w*|prev\w*)(_\w+)?"
)


def find_plain_parameters(module: nn.Module, depth: int = 0) -> dict[str, PlainParameter]:
    """The parameters of `forward` that take no tensor, by name."""
    try:
        given = inspect.signature(module.forward).parameters
    except (TypeError, ValueError):
        return {}
    uses = read_parameter_uses(module, depth, find_plain_parameters)
    short = {name for name in given if _SIDE_NAMES.fullmatch(name)}
    found = (_classify(parameter, uses[name], short) for name, parameter in given.items())
    return {plain.name: plain for plain in found if plain is not None}


def find_vectors(module: nn.Module) -> frozenset[str]:
    """The parameters of which each sample has a row of numbers that `forward` spreads over a map."""
    uses = read_parameter_uses(module, _NO_CALLS, find_plain_parameters)
    return frozenset(name for name, each in uses.items() if each.vector)


def _classify(
    parameter: inspect.Parameter, uses: ParameterUses, sides: set[str]
) -> PlainParameter | None:
    name = parameter.name
    if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
        return None
    written = read_annotation(parameter)
    kind = _read_annotated_kind(name, written) or _read_default_kind(name, parameter.default)
    if kind is None and "Tensor" not in written and not uses.tensor:
        if uses.passed is not None and not uses.words:
            return replace(uses.passed, name=name)
        kind = _read_used_kind(name, uses, sides)
    return None if kind is None else PlainParameter(name, kind, uses.words, _name_side(name))


def _name_side(name: str) -> str:
    """Of an image or a map, by the name of a parameter."""
    if name[0] in "tTD" or name.endswith("depth"):
        return "depth"
    return "width" if "w" in name.lower().replace("new", "") else "height"


def _read_annotated_kind(name: str, written: str) -> PlainKind | None:
    match = _ONE_OR_NONE.match(written)
    kind = _KIND_OF_ANNOTATION.get(next(filter(None, match.groups())) if match else written)
    if kind is PlainKind.COUNT and _SIDE_NAMES.fullmatch(name):
        return PlainKind.SIDE
    return PlainKind.SIDES if _PAIR_ANNOTATION.match(written) else kind


def _read_default_kind(name: str, default: Any) -> PlainKind | None:
    kinds: Mapping[type, PlainKind] = {
        bool: PlainKind.FLAG,
        int: PlainKind.COUNT,
        float: PlainKind.NUMBER,
        str: PlainKind.WORD,
    }
    return kinds.get(type(default))


def _read_used_kind(name: str, uses: ParameterUses, sides: set[str]) -> PlainKind | None:
    if uses.words:
        return PlainKind.WORD
    if uses.unpacked:
        return PlainKind.SIDES if all(map(_SIDE_NAMES.fullmatch, uses.unpacked)) else None
    if name in sides and (name not in _TOO_SHORT or len(sides) > 1 or uses.sized):
        return PlainKind.SIDE
    if _SIDES_NAMES.fullmatch(name):
        return PlainKind.SIDES
    if uses.counted:
        return PlainKind.COUNT
    if is_named_as_lengths(name) and name.endswith("s"):
        return None
    if uses.tested or _FLAG_NAMES.fullmatch(name):
        return PlainKind.NONE if _STATE_NAMES.fullmatch(name) else PlainKind.FLAG
    if uses.sized or _COUNT_NAMES.fullmatch(name):
        return PlainKind.COUNT
    if _NUMBER_NAMES.fullmatch(name):
        return PlainKind.NUMBER
    return PlainKind.NONE if uses.may_be_none and _STATE_NAMES.fullmatch(name) else None
