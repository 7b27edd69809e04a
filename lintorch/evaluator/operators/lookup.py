"""Asks the table of shape functions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lintorch.evaluator.operators.register import LAYER_SHAPES, SHAPE_FUNCTIONS
from lintorch.evaluator.operators.tensor_types import UndecidedError


def infer_types(name: str, given: Mapping[str, Any]) -> Any:
    function = SHAPE_FUNCTIONS.get(name)
    if function is None:
        raise UndecidedError
    return function(**given)


def infer_layer_types(path, built, positional, named) -> Any:
    raise UndecidedError
