"""Sends a message that is short to write and large to hold."""

import os
from contextlib import suppress

from torch import nn

FORGED = b'{"run": [' + b"[]," * 4_000_001 + b"[]]}\n"


class Net(nn.Module):  # LT007 it sent a message of more than 4,000,000 values
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)
        for descriptor in range(3, 64):
            with suppress(OSError):
                for start in range(0, len(FORGED), 1 << 16):
                    os.write(descriptor, FORGED[start : start + (1 << 16)])

    def forward(self, x):
        return self.conv(x)
