"""The series that a forecaster was built for, as it keeps it: the steps that it looks back on, the values of each."""

from __future__ import annotations

from collections.abc import Mapping

from torch import nn

from lintorch.guest.feed.shape_forms import InputForm
from lintorch.record.models import Input

_VALUES = ("enc_in", "feature_size", "n_vars", "num_vars", "n_features", "num_features", "c_in")
"""Attributes that keep how many values a step has, the surest first."""


def find_kept_series(module: nn.Module, sides: Mapping[str, int]) -> InputForm | None:
    """As many steps of as many values as a model keeps; None where it does not keep both."""
    steps = sides.get("sequence", 0)
    held = (vars(module).get(name) for name in _VALUES)
    values = next((number for number in held if type(number) is int and number > 0), 0)
    if not steps or not values:
        return None
    return Input("", "float32", ("batch", "sequence", values)), {"batch": 2, "sequence": steps}
