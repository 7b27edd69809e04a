"""Closes all descriptors."""

import os

from torch import nn


class Net(nn.Module):  # LT007 it closed or replaced the descriptor
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)

    def forward(self, x):
        os.closerange(0, 1000)
        return self.conv(x)
