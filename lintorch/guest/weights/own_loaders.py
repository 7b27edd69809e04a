"""A project's own functions that load weights and raise as their file is not here: they give nothing, as `torch.load` does."""

from __future__ import annotations

import re
import sys
from types import CodeType, FunctionType
from typing import Any

from lintorch.guest.imports.user_frames import get_user_code
from lintorch.guest.watch.user_lines import walk_frames
from lintorch.guest.weights.nothing_to_load import has_missed_weights, miss_weights

_LOADER = re.compile(
    r"_*(load|get|read|restore|resume|init|init_from)_?\w*(pretrain|state_?dict|checkpoint|ckpt|weights)\w*",
    re.I,
)
_left: set[CodeType] = set()


def leave_own_loader(error: BaseException) -> bool:
    """Have the innermost function that loads weights, and that an error came through, load none; whether there was one."""
    code = get_user_code()
    if code is None or not (has_missed_weights() or isinstance(error, FileNotFoundError)):
        return False
    for frame, row in reversed([*walk_frames(error.__traceback__)]):
        running = frame.f_code
        own = code.is_user(running.co_filename) and _LOADER.fullmatch(running.co_name)
        if (
            own
            and running not in _left
            and _replace(running, f"{code.shorten_path(running.co_filename)}:{row}")
        ):
            _left.add(running)
            return True
    return False


def _replace(running: CodeType, place: str) -> bool:
    """Put what loads nothing in the place of a function, by whatever name modules and classes have it."""

    def load_nothing(*args: Any, **kwargs: Any) -> Any:
        return miss_weights(f"what {running.co_name} loads", place)

    found, code = False, get_user_code()
    own = [m for m in [*sys.modules.values()] if code and code.is_user(getattr(m, "__file__", ""))]
    for module in own:
        for holder in (module, *(v for v in vars(module).values() if isinstance(v, type))):
            for name, held in [*vars(holder).items()]:
                if isinstance(held, FunctionType) and held.__code__ is running:
                    setattr(holder, name, load_nothing)
                    found = True
    return found
