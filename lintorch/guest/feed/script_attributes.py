"""Numbers that scripts set on a model before it runs: `model.drop_path_prob = args.drop_path_prob`."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path

from torch import nn

from lintorch.guest.calls.code_text import parse_code
from lintorch.guest.calls.project_texts import list_files_that_name
from lintorch.guest.construct.project_settings import find_shipped_number
from lintorch.record.repository import find_repository


def find_set_number(part: nn.Module, attribute: str) -> float | None:
    """The number that the project sets an attribute of a model to from outside; None where it sets none."""
    kind = type(part)
    try:
        project = find_repository(Path(inspect.getfile(kind)).resolve().parent)
    except (OSError, TypeError):
        return None
    for value in _list_set(project, attribute):
        if isinstance(value, ast.Constant) and isinstance(value.value, (bool, int, float)):
            return value.value
        direct = (value.attr,) if isinstance(value, ast.Attribute) else ()
        for name in (attribute, *direct):
            if (number := find_shipped_number(kind, name)) is not None:
                return number
    return None


def _list_set(project: Path, attribute: str) -> Iterator[ast.expr]:
    """What the attribute is set to, of anything but `self`."""
    for path, data in list_files_that_name(project, {attribute}):
        text = parse_code(path, data)
        for node in ast.walk(text.tree) if text else ():
            match node:
                case ast.Assign([ast.Attribute(ast.Name(holder), name)], value) if (
                    name == attribute and holder != "self"
                ):
                    yield value
