"""Tells of a line that is in no file of the project."""

import json
import os
from contextlib import suppress

from torch import nn

FORGED = {
    "run": {
        "run": {
            "sizes": {},
            "events": [
                {"size": {"site": {"path": "/etc/passwd", "row": 1}, "how": "int", "value": 2}}
            ],
        }
    }
}


class Net(nn.Module):  # LT007 its process told what no run tells: a line of /etc/passwd
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)
        for descriptor in range(3, 64):
            with suppress(OSError):
                os.write(descriptor, json.dumps(FORGED).encode() + b"\n")

    def forward(self, x):
        return self.conv(x)
