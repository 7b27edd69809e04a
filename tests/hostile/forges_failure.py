"""Tells that another model cannot be built."""

import json
import os
from contextlib import suppress

from torch import nn

FORGED = {
    "failure": {
        "failure": {
            "path": "healthy.py",
            "qualname": "Healthy",
            "row": 6,
            "stage": "build",
            "cause": "x",
        }
    }
}


class Net(nn.Module):  # LT007 its process told what no run tells: a result of healthy.py:Healthy
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)
        for descriptor in range(3, 64):
            with suppress(OSError):
                os.write(descriptor, json.dumps(FORGED).encode() + b"\n")

    def forward(self, x):
        return self.conv(x)
