"""Wants more and more memory."""

from torch import nn


class Net(nn.Module):  # LT007 it used more than 1 GiB of memory
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)
        self.held = []

    def forward(self, x):
        while True:
            self.held.append(bytearray(2**24))
        return self.conv(x)
