"""The folders that work is done in: each made anew by who waits for the work, whatever became of the last."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from contextlib import suppress

HOMES = (
    *("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "TORCH_HOME", "HF_HOME"),
    *("TMPDIR", "TMP", "TEMP"),
)
"""The variables of the environment that name the folder."""
_base = ""
_own = ""


def settle_in(folder: str) -> None:
    """Make all folders below this one, which is nobody else's, and work in it."""
    global _base
    _base = folder
    enter_folder(folder)


def base_folder() -> str:
    """The folder that all others are below; "" where there is none."""
    return _base


def make_fresh_folder() -> str:
    """A new and empty folder."""
    _repair_folder(_base)
    return tempfile.mkdtemp(dir=_base or None)


def current_folder() -> str:
    """The folder that this process works in, made again where it is gone; "" where none is its own."""
    _repair_folder(_base)
    _repair_folder(_own)
    return _own


def enter_folder(folder: str) -> None:
    """Work in a folder from now on, as its home too; "" is no folder."""
    global _own
    if folder:
        _own = folder
        os.chdir(folder)
        os.environ.update(dict.fromkeys(HOMES, folder))
        tempfile.tempdir = folder


def remove_folder(folder: str) -> None:
    """Remove a folder and all in it, whatever the modes of what is there."""
    shutil.rmtree(folder, ignore_errors=True)
    if os.path.isdir(folder):
        for inner, _, _ in os.walk(folder, onerror=None):
            with suppress(OSError):
                os.chmod(inner, stat.S_IRWXU)
        shutil.rmtree(folder, ignore_errors=True)


def _repair_folder(folder: str) -> None:
    """Have a folder of ours that can be written to."""
    with suppress(OSError):
        if not folder or (os.path.isdir(folder) and os.access(folder, os.W_OK | os.X_OK)):
            return
        if os.path.islink(folder) or os.path.isfile(folder):
            os.unlink(folder)
        os.makedirs(folder, exist_ok=True)
        os.chmod(folder, stat.S_IRWXU)
