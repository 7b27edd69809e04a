"""Where a user keeps what belongs to programs."""

from __future__ import annotations

import os


def user_folder(variable: str, usual: str, on_windows: str) -> str:
    """The folder of lintorch among the user's own; "" where there is no home.

    `variable` names the folder around it, which is `usual` (`~/.cache`) where that is not set;
    `on_windows` is the variable there.
    """
    if os.name == "nt":
        base = os.environ.get(on_windows, "")
    else:
        base = os.environ.get(variable, "")
        base = base if os.path.isabs(base) else os.path.expanduser(usual)
    return os.path.join(base, "lintorch") if os.path.isabs(base) else ""
