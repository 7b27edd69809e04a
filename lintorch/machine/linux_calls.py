"""What the Linux kernel offers and Python does not wrap."""

from __future__ import annotations

import ctypes
import os
import socket
import struct
import sys

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_PDEATHSIG, _SUBREAPER, _NO_NEW_PRIVILEGES = 1, 36, 38
"""Options of prctl, in <linux/prctl.h>."""
_CAPABILITIES = 0x20080522
"""_LINUX_CAPABILITY_VERSION_3, which capset is told."""
_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 1
"""SIOCGIFFLAGS and SIOCSIFFLAGS, and the flag of an interface that is up."""
_NEW_USERS, _NEW_NETWORK = 0x10000000, 0x40000000
"""CLONE_NEWUSER and CLONE_NEWNET, as unshare takes them."""


def become_subreaper() -> None:
    """Make this process the parent of descendants whose own parent ends."""
    _control_process(_SUBREAPER, 1)


def die_with_parent(number: int) -> None:
    """Get the signal `number` when the thread that started this process ends."""
    _control_process(_PDEATHSIG, number)


def gain_no_privileges() -> None:
    """Let no program that is started from here gain privileges that this process lacks."""
    _control_process(_NO_NEW_PRIVILEGES, 1)


def leave_network() -> None:
    """Move this process, which has one thread, to a network of its own that holds only itself.

    Takes a user namespace where it lacks the right without one; users keep their numbers, and
    the rights that it brings are given back. Raises OSError, and may have gone half of the way.
    """
    try:
        _call_libc("unshare", _NEW_NETWORK)
        _raise_loopback()
    except PermissionError:
        user, group = os.geteuid(), os.getegid()
        _call_libc("unshare", _NEW_USERS | _NEW_NETWORK)
        _write_own("setgroups", "deny")
        _write_own("uid_map", f"{user} {user} 1")
        _write_own("gid_map", f"{group} {group} 1")
        _raise_loopback()
        _call_libc("capset", struct.pack("Ii", _CAPABILITIES, 0), bytes(24))


def _raise_loopback() -> None:
    """Let 127.0.0.1 be reached in a new network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        asked = struct.pack("16sh22x", b"lo", 0)
        flags = struct.unpack_from("16sh", fcntl.ioctl(any_socket, _GET_FLAGS, asked))[1]
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sh22x", b"lo", flags | _UP))


def system_call(number: int, *arguments: int | bytes | None) -> int:
    """A system call that the C library has no function for. Raises OSError."""
    given = (ctypes.c_long(each) if isinstance(each, int) else each for each in arguments)
    return _call_libc("syscall", ctypes.c_long(number), *given)


def _write_own(name: str, text: str) -> None:
    with open(f"/proc/self/{name}", "w") as file:
        file.write(text)


def _control_process(option: int, value: int) -> None:
    _call_libc("prctl", *(ctypes.c_ulong(number) for number in (option, value, 0, 0, 0)))


def _call_libc(name: str, *arguments: object) -> int:
    """A function of the C library. Raises OSError, also where there is no such function."""
    if sys.platform != "linux":
        raise OSError(f"{name} is a function of Linux")
    library = ctypes.CDLL(None, use_errno=True)
    result: int = getattr(library, name)(*arguments)
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
