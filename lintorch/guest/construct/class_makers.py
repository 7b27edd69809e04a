"""Methods by which a class makes itself: `make_default(cls, width)` that returns `cls(Tokens(width), Layers(width))`."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from typing import Any

from torch import nn

from lintorch.guest.construct.function_text import parse_source_of
from lintorch.guest.construct.parameters import list_required_parameters
from lintorch.guest.construct.part_models import find_called_attributes

_LOADING = re.compile(r"load|restore|resume|pretrained|checkpoint|state_dict|file|path|onnx|jit")
"""In names of methods that want weights, or another model."""
_MOST_MAKERS = 2


def list_class_makers(kind: type[nn.Module]) -> list[tuple[str, Callable[..., Any]]]:
    """The name, behind that of the class, and the method, of those that make a class whose constructor wants models."""
    wanted = {parameter.name for parameter in list_required_parameters(kind)}
    made: Callable[..., Any] = kind
    if not wanted & find_called_attributes(made):
        return []
    return [(f"{kind.__qualname__}.{name}", getattr(kind, name)) for name in _list_names(kind)][
        :_MOST_MAKERS
    ]


def _list_names(kind: type[nn.Module]) -> Iterator[str]:
    for name, held in vars(kind).items():
        public = isinstance(held, classmethod) and not _LOADING.search(name) and name[0] != "_"
        if public and _returns_itself(held.__func__, kind.__name__):
            yield name


def _returns_itself(method: Callable[..., Any], name: str) -> bool:
    """Whether what a method returns is a call of its class."""
    returned = (n.value for n in ast.walk(parse_source_of(method)) if isinstance(n, ast.Return))
    called = (value.func for value in returned if isinstance(value, ast.Call))
    return any(getattr(each, "id", "") in ("cls", name) for each in called)
