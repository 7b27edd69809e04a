"""Models that cannot be built without arguments, or end with an exception."""

import torch
from torch import nn


class Configured(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.layer = nn.Linear(config.width, config.depth)

    def forward(self, features):
        return self.layer(features)


class Raises(nn.Module):
    def forward(self, image):
        raise RuntimeError("this model never runs")


class Mismatched(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(8, 4)
        self.second = nn.Linear(5, 2)

    def forward(self, features):
        return self.second(torch.relu(self.first(features)))
