"""Tells, from where it runs, of the run of another model."""

import json
import os
from contextlib import suppress

from torch import nn

FORGED = [
    {"begin": {"path": "healthy.py", "qualname": "Healthy", "row": 6}},
    {"fact": {"event": {"size": {"site": {"path": "healthy.py", "row": 2}, "how": "int"}}}},
    {"done": {}},
]


class Net(nn.Module):  # LT007 it sent a result of a kind that is not its own, 'begin'
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)

    def forward(self, x):
        for message in FORGED:
            for descriptor in range(3, 64):
                with suppress(OSError):
                    os.write(descriptor, json.dumps(message).encode() + b"\n")
        return self.conv(x)
