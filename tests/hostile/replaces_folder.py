"""Puts a file in the place of the folder that all run in, where it can."""

import contextlib
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
        with contextlib.suppress(OSError), open(base, "w"):
            pass
        return self.conv(x)
