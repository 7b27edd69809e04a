"""The language server: what the editor asks and tells, and what is done about it."""

from __future__ import annotations

import logging
import os
import sys
from typing import BinaryIO

from pygls.lsp.server import LanguageServer

from lintorch.run.request import CheckRequest
from lintorch.server.features import make_server


def serve(request: CheckRequest) -> int:
    """Serve the editor at the other end of standard input and output; the exit code."""
    logging.getLogger("pygls").setLevel(logging.CRITICAL)
    stdin, stdout = _take_streams()
    server, ends = make_server(request)
    try:
        server.start_io(stdin, stdout)
    finally:
        for end in ends:
            end()
    return 0 if was_shut_down(server) else 1


def was_shut_down(server: LanguageServer) -> bool:
    """Whether the editor said that it would leave."""
    return bool(getattr(server.protocol, "_shutdown", False))


def _take_streams() -> tuple[BinaryIO, BinaryIO]:
    """The streams of the protocol for itself: whatever else is printed goes to standard error."""
    sys.stdout.flush()
    own_in, own_out = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return os.fdopen(own_in, "rb"), os.fdopen(own_out, "wb")
