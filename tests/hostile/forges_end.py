"""Tells that all is done."""

import json
import os
from contextlib import suppress

from torch import nn

FORGED = {"done": {}}


class Net(nn.Module):  # LT007 it sent a result of a kind that is not its own, 'done'
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)
        for descriptor in range(3, 64):
            with suppress(OSError):
                os.write(descriptor, json.dumps(FORGED).encode() + b"\n")

    def forward(self, x):
        return self.conv(x)
