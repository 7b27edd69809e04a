"""Raises an exception whose text raises."""

from torch import nn


class MuteError(Exception):
    def __str__(self):
        raise RuntimeError("no text")


class Net(nn.Module):  # LT006 MuteError: (its text raises RuntimeError)
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)

    def forward(self, x):
        raise MuteError
        return self.conv(x)
