"""Files that a process may change, by Linux' Landlock: those below some folders, and no others."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable

from lintorch.machine import linux_calls

_CREATE, _ADD, _RESTRICT = 444, 445, 446
"""Numbers of system calls, the same for all processors that torch runs on."""
_VERSION, _BELOW = 1, 1
"""LANDLOCK_CREATE_RULESET_VERSION and LANDLOCK_RULE_PATH_BENEATH of <linux/landlock.h>."""
_LEAST = 3
"""The first release of Landlock (Linux 6.2) that also holds what empties a file."""
_SIGNALS_SINCE = 6
"""The first release (Linux 6.12) that can hold signals."""
_WRITE, _TRUNCATE = 1 << 1, 1 << 14
_CHANGE = _WRITE | _TRUNCATE | sum(1 << bit for bit in range(4, 14))
"""Besides: remove files and folders, make them and links and devices, and move them elsewhere."""
_SIGNALS = 1 << 1
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/tty")


def confine_writes(folders: Iterable[str]) -> bool:
    """Let this process and all below it change files below the folders only; whether signals are held too.

    Files can still be read, and shared memory and the usual devices written to. Signals are held
    where they reach no process but those below. Raises OSError where the kernel has no such means.
    """
    release = linux_calls.system_call(_CREATE, 0, 0, _VERSION)
    if release < _LEAST:
        raise OSError("this kernel cannot keep a process from emptying files")
    scope = _SIGNALS if release >= _SIGNALS_SINCE else 0
    asked = struct.pack("QQQ", _CHANGE, 0, scope)
    rules = linux_calls.system_call(_CREATE, asked, len(asked) if scope else 8, 0)
    try:
        for folder in (*folders, "/dev/shm"):
            _allow_below(rules, folder, _CHANGE)
        for device in _DEVICES:
            _allow_below(rules, device, _WRITE | _TRUNCATE)
        linux_calls.system_call(_RESTRICT, rules, 0)
    finally:
        os.close(rules)
    return bool(scope)


def _allow_below(rules: int, path: str, what: int) -> None:
    if not os.path.exists(path):
        return
    place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        linux_calls.system_call(_ADD, rules, _BELOW, struct.pack("=Qi", what, place), 0)
    finally:
        os.close(place)
