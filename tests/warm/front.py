"""Stands where an interpreter is asked for: a process that is warm forks, and this one lasts as long.

`front.py SOCKET ARGUMENTS`, where the arguments are those of an interpreter.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Mapping, Sequence


def run_warm(
    path: str,
    arguments: Sequence[str],
    folder: str,
    environment: Mapping[str, str],
    streams: Sequence[int] = (0, 1, 2),
) -> int:
    """What `python ARGUMENTS` ends with, run by a fork of the process that listens at a path.

    The fork and all that it has started are killed with the process that waits here.
    """
    asked = {"arguments": [*arguments], "folder": folder, "environment": dict(environment)}
    text = json.dumps(asked).encode()
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        socket.send_fds(connection, [len(text).to_bytes(8, "big")], streams)
        connection.sendall(text)
        status = connection.recv(1)
    return status[0] if status else 1


if __name__ == "__main__":
    sys.exit(run_warm(sys.argv[1], sys.argv[2:], os.getcwd(), os.environ))
