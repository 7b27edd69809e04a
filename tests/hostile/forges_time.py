"""Asks for time without end."""

import json
import os
from contextlib import suppress

from torch import nn

FORGED = {"allow": {"seconds": float("inf")}}


class Net(nn.Module):  # LT007 it asked for more time in a way that lintorch does not
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)
        for descriptor in range(3, 64):
            with suppress(OSError):
                os.write(descriptor, json.dumps(FORGED).encode() + b"\n")

    def forward(self, x):
        return self.conv(x)
