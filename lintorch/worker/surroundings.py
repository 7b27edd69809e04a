"""What user code meets in the worker: one thread, no network, and torch loaded once."""

from __future__ import annotations

import ipaddress
import os
import random
import socket
from typing import Any


def settle() -> str:
    """Import torch with one thread and close the network; the version of torch.

    Forked children hang where OpenMP has started threads before, so nothing may run earlier.
    """
    import torch

    torch.set_num_threads(1)
    close_network()
    return str(torch.__version__)


def close_network() -> None:
    """Let connections to other machines fail at once, with a plain reason."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")  # it would try again and again
    for name in ("connect", "connect_ex"):
        setattr(socket.socket, name, _local_only(getattr(socket.socket, name)))
    socket.getaddrinfo = _local_names(socket.getaddrinfo)


def seed(value: int = 0) -> None:
    """Seed every generator that models commonly draw from."""
    import torch

    random.seed(value)
    torch.manual_seed(value)
    try:
        import numpy
    except ImportError:
        return
    numpy.random.seed(value)


def _local_only(connect: Any) -> Any:
    def guarded(self: socket.socket, address: Any) -> Any:
        if self.family in (socket.AF_INET, socket.AF_INET6) and not _is_local(address[0]):
            raise _refusal(address[0])
        return connect(self, address)

    return guarded


def _local_names(resolve: Any) -> Any:
    def guarded(host: Any, *rest: Any, **named: Any) -> Any:
        if host is not None and not _is_local(host):
            raise _refusal(host)
        return resolve(host, *rest, **named)

    return guarded


def _is_local(host: Any) -> bool:
    name = host.decode(errors="replace") if isinstance(host, bytes) else str(host)
    if name in ("", "localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _refusal(host: Any) -> OSError:
    return OSError(f"lintorch runs models without network: {host} was not reached")
