import numpy as np
from torch import nn


class Mixed(nn.Module):
    def __init__(self, share):
        super().__init__()
        self.share = share
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        if self.is_train:
            if np.random.random() < self.share:
                x = x.flip(0)
        return self.layer(x)


class Drawn(nn.Module):
    def forward(self, x):
        return x * np.random.random()  # hit


class Grid(nn.Module):
    def __init__(self, share):
        super().__init__()
        self.share = share

    def forward(self, x):
        if np.random.rand() > self.share or not self.training:
            return x
        return x.flip(-1)


class Flip(nn.Module):
    def __init__(self, share):
        super().__init__()
        self.share = share

    def forward(self, x):
        if np.random.rand() < self.share and self.training:
            x = x.flip(-1)
        if np.random.rand() < self.share or self.training:  # hit
            x = x.flip(0)
        return x
