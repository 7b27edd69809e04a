"""What user code meets in the worker: one thread, no network, and torch loaded once."""

from __future__ import annotations

import ipaddress
import os
import random
import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from lintorch.guest.process import landlock
from lintorch.machine import linux_calls

OWN_NETWORK = "a network of their own, which holds nothing but themselves"
PYTHON_GUARD = "no connections from Python's sockets; programs that a model starts are not held"
OWN_FILES = "written in their temporary folder, the output folder and shared memory only"
ANY_FILES = (
    "written wherever the user may; the home and temporary folders they are told of are their own"
)
OWN_SIGNALS = "reach processes of their own only"
ANY_SIGNALS = "reach all processes of the user"
_CONTAINED = {"network": PYTHON_GUARD, "files": ANY_FILES, "signals": ANY_SIGNALS}
_MOST_GONE = 100
"""Modules that were there before user code, and that it throws away or imports again."""
_loaded = [0]
"""How many modules there were before user code."""
_INTERNET = (socket.AF_INET, socket.AF_INET6)
_SENDING = {"socket.connect", "socket.sendto", "socket.sendmsg"}
_RESOLVING = {"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"}


def prepare_worker(folders: Sequence[str]) -> str:
    """Close the network and all files but those in `folders`, and import torch with one thread.

    The version of torch.

    Forked children hang where OpenMP has started threads before, and a process with threads
    cannot leave its network, so nothing may run earlier.
    """
    close_network()
    close_files(folders)
    import torch

    torch.set_num_threads(1)
    return str(torch.__version__)


def note_loaded() -> None:
    """What is loaded by now is none of the user's."""
    _loaded[0] = len(sys.modules)


def count_later_modules() -> int:
    """How many of the modules that were loaded last may be the user's: some more, as some go."""
    before = max(0, _loaded[0] - _MOST_GONE)
    return max(0, len(sys.modules) - before)


def close_network() -> None:
    """Leave the network where the platform lets a process; let Python's connections fail with a plain reason."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")  # it would try again and again
    if sys.platform == "linux" and _could_change(linux_calls.leave_network):
        linux_calls.leave_network()
        _CONTAINED["network"] = OWN_NETWORK
    with suppress(OSError, AttributeError):
        linux_calls.gain_no_privileges()
    sys.addaudithook(_refuse_connections)


def close_files(folders: Sequence[str]) -> None:
    """Let nothing be written outside of the folders, nor signals be sent outside, where the platform can."""
    with suppress(OSError, AttributeError):
        signals = landlock.confine_writes(folders)
        _CONTAINED["files"] = OWN_FILES
        if signals:
            _CONTAINED["signals"] = OWN_SIGNALS


def containment_in_words() -> dict[str, str]:
    """What holds models in here, in words."""
    return dict(_CONTAINED)


def seed_generators(value: int = 0) -> None:
    """Seed every generator that models commonly draw from."""
    import torch

    random.seed(value)
    torch.manual_seed(value)
    try:
        import numpy
    except ImportError:
        return
    numpy.random.seed(value)


def _could_change(change: Callable[[], None]) -> bool:
    """Whether a change of this process would come to its end: tried in a child, as half of it would harm."""
    child = os.fork()
    if child == 0:
        try:
            change()
            os._exit(0)
        finally:
            os._exit(1)
    return os.waitpid(child, 0)[1] == 0


def _refuse_connections(event: str, arguments: tuple[Any, ...]) -> None:
    """Hears of whatever Python's sockets are asked to do, by whichever name."""
    if event in _SENDING:
        connection, address = arguments[:2]
        if connection.family in _INTERNET and address and not _is_local(address[0]):
            raise _network_error(address[0])
    elif event in _RESOLVING and arguments[0] is not None and not _is_local(arguments[0]):
        raise _network_error(arguments[0])


def _is_local(host: Any) -> bool:
    name = host.decode(errors="replace") if isinstance(host, bytes) else str(host)
    if name in ("", "localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _network_error(host: Any) -> OSError:
    return OSError(f"lintorch runs models without network: {host} was not reached")
