"""Standard input and output for messages alone: what anything else prints goes to standard error."""

from __future__ import annotations

import os
import sys
from typing import BinaryIO


def take_streams() -> tuple[BinaryIO, BinaryIO]:
    """What was standard input and output; who reads or prints there from now on meets neither."""
    sys.stdout.flush()
    own_in, own_out = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return os.fdopen(own_in, "rb"), os.fdopen(own_out, "wb")
