"""Export calls: which exporter one takes, and with which arguments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import libcst as cst

from lintorch.core.profile import Profile
from lintorch.syntax.literals import Arguments, arguments, literal

_POSITIONAL = ("model", "args", "f")


class HasProfile(Protocol):
    """What knows with what the project deploys."""

    @property
    def profile(self) -> Profile:
        """The exporters, opsets and release of torch in use."""


def onnx_arguments(call: cst.Call) -> Arguments:
    """The arguments of a `torch.onnx.export`, by name."""
    return arguments(call, *_POSITIONAL)


def is_given(given: Arguments, name: str) -> bool:
    """Whether an argument is given, and not as None."""
    value = given.get(name)
    return value is not None and literal(value) is not None


def literal_strings(expression: cst.CSTNode | None) -> Iterator[str]:
    """The texts of a literal list or tuple, or the keys of a literal dict."""
    if isinstance(expression, cst.Dict):
        keys = (e.key for e in expression.elements if isinstance(e, cst.DictElement))
        yield from (v for k in keys if isinstance(v := literal(k), str))
    elif isinstance(expression, (cst.List, cst.Tuple)):
        yield from (v for e in expression.elements if isinstance(v := literal(e.value), str))
