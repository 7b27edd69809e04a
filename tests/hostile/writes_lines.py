"""Writes what is no message to whatever it has inherited."""

import os
from contextlib import suppress

from torch import nn


class Net(nn.Module):  # LT007 it wrote to the pipe on which lintorch reads its results
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)

    def forward(self, x):
        for descriptor in range(3, 64):
            with suppress(OSError):
                os.write(descriptor, b"x\n")
        return self.conv(x)
