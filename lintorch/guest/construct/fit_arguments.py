"""Made up arguments of one constructor, made to agree with one another."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any

_WIDTHS_IN = re.compile(
    r"in_?planes|in_?channels?|in_ch(an|ans)?|in_c|inp|c_?in|in_?dim|inplane|dim_in|input_dim|in_features|input_channels?|nin|ni"
)
_WIDTHS_OUT = re.compile(
    r"planes|out_?channels?|out_ch(an|ans)?|out_c|oup|outp|c_?out|out_?dim|out_?planes|plane|dim_out|output_dim|out_features|output_channels?|nout|nf|channels|width|features"
)
_SHORTCUTS = ("downsample", "down_sample", "shortcut", "skip", "proj", "projection", "down")
"""Names of what brings the input of a block to the width of its output."""


def fit_together(call: Callable[..., Any], made: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments, with widths that a block without a projection can add up."""
    return {**made, **_fit_residual(call, made)}


def _fit_residual(call: Callable[..., Any], made: Mapping[str, Any]) -> dict[str, Any]:
    """As wide an input as the output where the block adds both and is given no projection."""
    try:
        given = inspect.signature(call).parameters
    except (TypeError, ValueError):
        return {}
    if not any(name in given and given[name].default is None for name in _SHORTCUTS):
        return {}
    inner = next((n for n in made if _WIDTHS_IN.fullmatch(n) and type(made[n]) is int), "")
    outer = next((n for n in made if _WIDTHS_OUT.fullmatch(n) and type(made[n]) is int), "")
    if not inner or not outer:
        return {}
    expansion = getattr(call, "expansion", 1)
    return {inner: made[outer] * (expansion if type(expansion) is int else 1)}
