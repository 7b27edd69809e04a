"""Tells of a run that has more to it."""

import json
import os
from contextlib import suppress

from torch import nn

FORGED = {"run": {"run": {"sizes": {}, "events": [], "more": 1}}}


class Net(nn.Module):  # LT007 its process told what no run tells: ModelRun has no field 'more'
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)
        for descriptor in range(3, 64):
            with suppress(OSError):
                os.write(descriptor, json.dumps(FORGED).encode() + b"\n")

    def forward(self, x):
        return self.conv(x)
