"""Kills the process that has imported torch."""

import os
import signal

from torch import nn


class Net(nn.Module):  # LT007 it ended the worker process
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)
        with open(f"/proc/{os.getppid()}/stat") as stat:
            grandparent = int(stat.read().rpartition(")")[2].split()[1])
        os.kill(grandparent, signal.SIGKILL)

    def forward(self, x):
        return self.conv(x)
