"""Declares torchvision's operators where its compiled part is not for the installed torch."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import torch

from lintorch.guest.process.assumptions import note_assumption
from lintorch.guest.process.error_text import text_of

_MISSING = "operator torchvision::"
_declared: list[Any] = []


def mend_torchvision(error: BaseException) -> bool:
    """Declare the operators where their lack made an import fail; whether to try it again.

    An operator that is declared only raises when it is called.
    """
    if _declared or _MISSING not in text_of(error):
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
