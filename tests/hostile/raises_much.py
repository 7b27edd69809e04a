"""Raises an exception with a text of 50 MB."""

from torch import nn


class Net(nn.Module):  # LT006 ValueError: xxxxxxxx
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)

    def forward(self, x):
        raise ValueError("x" * 50_000_000)
        return self.conv(x)
