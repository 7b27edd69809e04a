"""Kills the process that it was started by."""

import os
import signal

from torch import nn


class Net(nn.Module):  # LT007 it was killed by SIGKILL
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)
        os.kill(os.getppid(), signal.SIGKILL)

    def forward(self, x):
        return self.conv(x)
