"""Wants more and more memory as soon as somebody watches."""

import torch
from torch import nn


class Net(nn.Module):  # LT007 it used more than 1 GiB of memory
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)

    def forward(self, x):
        if torch._C._len_torch_function_stack():
            torch.ones(2**40)
        return self.conv(x)
