"""Extensions that code compiles when it is imported: nothing is compiled, something stands in."""

from __future__ import annotations

from typing import Any

from lintorch.guest.imports.replace_functions import Replacement
from lintorch.guest.imports.stand_in import Missing, StandIn
from lintorch.guest.imports.user_frames import get_user_code
from lintorch.guest.process.assumptions import note_stand_in

_NOT_COMPILED = "an extension that is not compiled here"


def _stand_in_for_extension(
    place: str, function: Any, name: Any = "", *args: Any, **kwargs: Any
) -> Any:
    code = get_user_code()
    if code is not None and code.is_error_guarded():
        raise RuntimeError(f"{name} is {_NOT_COMPILED}")
    note_stand_in(str(name), _NOT_COMPILED)
    return StandIn(Missing(str(name), f"is {_NOT_COMPILED}"), str(name))


EXTENSIONS: dict[str, Replacement] = {
    "torch.utils.cpp_extension.load": _stand_in_for_extension,
    "torch.utils.cpp_extension.load_inline": _stand_in_for_extension,
}
"""By dotted path, what answers the user's code in the place of a function."""
