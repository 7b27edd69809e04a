"""When ONNX defined its operators: a model of opset 20 uses each as the last opset up to 20 left it."""

from __future__ import annotations

import functools
from typing import Any

from lintorch.targets.runtime_tables import read_table


@functools.cache
def _read_operators() -> dict[str, list[list[int]]]:
    table: Any = read_table("_onnx_operators")
    found: dict[str, list[list[int]]] = table["operators"]
    return found


def is_standard(operator: str) -> bool:
    """Whether ONNX has, or had, an operator of this name."""
    return operator in _read_operators()


def spell_standard(name: str) -> str:
    """`ReduceMean` of `reduce_mean` or `reducemean`; "" where ONNX has no such operator."""
    bare = name.replace("_", "").lower()
    return next((each for each in _read_operators() if each.lower() == bare), "")


def find_definition(operator: str, opset: int | None) -> int | None:
    """The opset that defines an operator as a model of this opset uses it; None where none does.

    Without an opset, the last definition.
    """
    known = [n for n in _read_operators().get(operator, [[]])[0] if opset is None or n <= opset]
    return max(known, default=None)


def has_body(operator: str, since: int) -> bool:
    """Whether a runtime without the operator can put its function body in its place."""
    entry = _read_operators().get(operator, [[]])
    return len(entry) > 1 and since in entry[1]
