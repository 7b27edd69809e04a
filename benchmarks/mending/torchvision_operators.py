"""Declares torchvision's operators where its compiled part does not fit the installed torch, so that it imports."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

_LISTED = "lintorch/guest/imports/torchvision_operators.json"
_declared: list[Any] = []


def declare_missing_operators() -> None:
    """Nothing where torchvision is not there, or fits; an operator that is declared raises when it is called."""
    import torch

    try:
        importlib.import_module("torchvision")
    except ImportError:
        return
    except RuntimeError:
        library = torch.library.Library("torchvision", "FRAGMENT")
        _declared.append(library)
        for schema in json.loads((Path(__file__).parents[2] / _LISTED).read_text())["operators"]:
            library.define(schema)
        for name in [name for name in sys.modules if name.partition(".")[0] == "torchvision"]:
            del sys.modules[name]
