"""The folder of the cache: the user's own, never inside what is checked.

Who can write a cache can hide findings; a folder that came with a tree was written by its author.
"""

from __future__ import annotations

import os
import stat

from lintorch.files.file_text import replace_file
from lintorch.files.user_folders import user_folder

_OWN_NAMES = ("findings-", "cards-", "CACHEDIR.TAG")
VARIABLE = "LINTORCH_CACHE_DIR"
"""The environment variable that names another folder."""
_KEPT = 256
"""How many files are kept; those used longest ago go. A project takes two for each of its settings."""
_TAG = "Signature: 8a477f597d28d172789f06886806bc55\n# This folder is a cache of lintorch.\n"


def cache_folder() -> str:
    """The folder for what lintorch keeps of this user's runs; "" where there is no home.

    Who runs lintorch may name another: by the environment, or an option that sets it.
    """
    return os.environ.get(VARIABLE) or user_folder("XDG_CACHE_HOME", "~/.cache", "LOCALAPPDATA")


def read_kept(file: str) -> bytes:
    """A file of the cache. Raises OSError where it is not there, or not this user's own."""
    if not _is_own(os.path.dirname(file)):
        raise PermissionError(file)
    with open(file, "rb") as stream:
        return stream.read()


def write_kept(file: str, data: bytes) -> None:
    """Put a file into the cache, and let go of those used longest ago. Raises OSError."""
    folder = os.path.dirname(file)
    _prepare_folder(folder)
    replace_file(file, data, lasting=False)
    _prune_folder(folder)


def _prepare_folder(folder: str) -> None:
    os.makedirs(folder, mode=0o700, exist_ok=True)
    if not _is_own(folder):
        raise PermissionError(folder)
    tag = os.path.join(folder, "CACHEDIR.TAG")
    if not os.path.exists(tag):
        replace_file(tag, _TAG.encode(), lasting=False)


def _is_own(folder: str) -> bool:
    """Whether nobody but this user can put files there."""
    if os.name == "nt":
        return os.path.isabs(folder)
    found = os.stat(folder)
    return found.st_uid == os.geteuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _prune_folder(folder: str) -> None:
    with os.scandir(folder) as listing:
        kept = [entry for entry in listing if entry.name.endswith(".json")]
    if len(kept) > _KEPT:
        kept.sort(key=lambda entry: (entry.stat().st_mtime_ns, entry.name), reverse=True)
        for entry in kept[_KEPT:]:
            os.unlink(entry.path)


def remove_kept() -> int:
    """Remove all that lintorch put into the cache, and nothing else: how many files. Raises OSError."""
    folder = cache_folder()
    if not folder or not os.path.isdir(folder) or not _is_own(folder):
        return 0
    with os.scandir(folder) as listing:
        kept = [each.path for each in listing if each.name.startswith(_OWN_NAMES)]
    for path in kept:
        os.unlink(path)
    return len(kept)
