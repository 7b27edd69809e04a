"""Lets the user's code leave an argument at None that releases have taken away since it was written."""

from __future__ import annotations

import functools
import inspect
import sys
from typing import Any

from lintorch.guest.process.assumptions import note_assumption

_DROPPED = {
    ("timm.models.vision_transformer", "Block"): "qk_scale",
    ("timm.models.vision_transformer", "Attention"): "qk_scale",
}
"""By module and class: the argument that its constructor took, and where None was the usual way.

Source: timm/models/vision_transformer.py of timm 0.4.12 and of 1.0.
"""


def drop_lost_arguments() -> None:
    """Have the classes of modules that are loaded by now take None for what they do not know any more."""
    for (module, name), argument in _DROPPED.items():
        kind: Any = vars(sys.modules[module]).get(name) if module in sys.modules else None
        if kind is not None and not hasattr(kind.__init__, "lintorch_drops"):
            _drop_argument(kind, argument, f"{module}.{name}")


def _drop_argument(kind: Any, argument: str, shown: str) -> None:
    build = kind.__init__
    known = inspect.signature(build).parameters.values()
    if any(each.name == argument or each.kind is each.VAR_KEYWORD for each in known):
        return

    @functools.wraps(build)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        if argument in kwargs and kwargs[argument] is None:
            del kwargs[argument]
            note_assumption(f"left out, as releases have removed it: {argument}=None of {shown}")
        build(self, *args, **kwargs)

    __init__.lintorch_drops = True  # type: ignore[attr-defined]
    kind.__init__ = __init__
