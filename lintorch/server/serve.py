"""Serves one editor, from its first word to its last."""

from __future__ import annotations

import logging
import os

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from lintorch.run.request import CheckRequest
from lintorch.server.features import make_server
from lintorch.server.own_streams import take_streams


def serve(request: CheckRequest) -> int:
    """Serve the editor at the other end of standard input and output; the exit code.

    Where the editor says `exit` this does not return: a thread waits for what it says next, and
    would keep the process from ending for as long as the editor keeps the pipe open.
    """
    logging.getLogger("pygls").setLevel(logging.CRITICAL)
    stdin, stdout = take_streams()
    server, ends = make_server(request)

    def leave(*_: object) -> None:
        for end in ends:
            end()
        os._exit(_choose_code(server))

    server.feature(types.EXIT)(leave)
    try:
        server.start_io(stdin, stdout)
    finally:
        for end in ends:
            end()
    return _choose_code(server)


def _choose_code(server: LanguageServer) -> int:
    """0 where the editor said that it would leave, else 1."""
    return 0 if getattr(server.protocol, "_shutdown", False) else 1
