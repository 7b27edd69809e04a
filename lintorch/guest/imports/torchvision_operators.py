"""Declares torchvision's operators where its compiled part is not for the installed torch."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from lintorch.guest.process.assumptions import note_assumption
from lintorch.guest.process.error_text import text_of

_MISSING = "operator torchvision::"
_MOST_CAUSES = 8
_declared: list[Any] = []


def _list_causes(error: BaseException) -> Iterator[BaseException]:
    """The error and those that it came of: transformers tells of another than it met."""
    each: BaseException | None = error
    for _ in range(_MOST_CAUSES):
        if each is None:
            return
        yield each
        each = each.__cause__ or each.__context__


def mend_torchvision(error: BaseException) -> bool:
    """Declare the operators where their lack made an import fail; whether to try it again.

    An operator that is declared only raises when it is called.
    """
    if _declared or not any(_MISSING in text_of(each) for each in _list_causes(error)):
        return False
    library = torch.library.Library("torchvision", "FRAGMENT")
    _declared.append(library)
    listed = json.loads(Path(__file__).with_name("torchvision_operators.json").read_text("utf-8"))
    for schema in listed["operators"]:
        library.define(schema)
    for name in [name for name in sys.modules if name.partition(".")[0] == "torchvision"]:
        del sys.modules[name]
    note_assumption(
        "torchvision's own operators (nms, roi_align, …) do not fit the installed torch:"
        " they are declared, and raise when they are called"
    )
    return True
