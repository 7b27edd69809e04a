"""From which opset on the older ONNX exporter of torch 2.13 translates an operator of PyTorch."""

from __future__ import annotations

import functools
from collections.abc import Mapping

from lintorch.targets.runtime_tables import read_table


@functools.cache
def load_firsts() -> Mapping[str, int]:
    """By operator, `aten::tril`, as torch registers its translations."""
    firsts: Mapping[str, int] = read_table("_legacy_symbolics")["firsts"]
    return firsts


def find_first_translation(name: str) -> int | None:
    """The lowest opset at which `aten::tril` is translated; None where it never is."""
    return load_firsts().get(name)
