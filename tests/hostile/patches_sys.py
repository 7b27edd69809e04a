"""Takes away what Python itself needs."""

import sys

from torch import nn


class Net(nn.Module):  # LT006 it has taken away sys.stdout, sys.stderr, sys.exit
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)

    def forward(self, x):
        sys.stdout = sys.stderr = sys.exit = None
        sys.modules.clear()
        return self.conv(x)
