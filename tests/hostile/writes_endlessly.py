"""Writes a line that does not end."""

import os
from contextlib import suppress

from torch import nn


class Net(nn.Module):  # LT007 it sent a message longer than 32 MiB
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)

    def forward(self, x):
        descriptors = list(range(3, 64))
        while True:
            for descriptor in descriptors:
                with suppress(OSError):
                    os.write(descriptor, b"x" * 2**20)
        return self.conv(x)
