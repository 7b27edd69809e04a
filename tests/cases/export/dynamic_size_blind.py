"""A model that its only user feeds by what nobody knows is followed by itself as well."""

import numpy as np
import torch
from solvers import solve
from torch import nn
from torch.nn import functional as F


class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Conv2d(3, 8, 3, padding=1)

    def forward(self, x):
        more = int(np.ceil(x.size(2) / 8) * 8 - x.size(2))  # hit
        return self.head(F.pad(x, (0, 0, 0, more)))


class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()
        self.last = nn.Conv2d(8, 3, 3)

    def forward(self, rows):
        return self.last(self.inner(torch.cat((solve(rows), rows), 1)))
