"""Raises as soon as somebody watches."""

import torch
from torch import nn


class Net(nn.Module):  # LT006 Net was not run to its end: RuntimeError: watched
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)

    def forward(self, x):
        if torch._C._len_torch_function_stack():
            raise RuntimeError("watched")
        return self.conv(x)
