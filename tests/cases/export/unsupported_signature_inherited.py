import torch
from torch import nn


class Bag:
    def __init__(self, held=None):
        self.held = held


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor):
        return Bag(self.net(x))  # hit


class Halved(nn.Linear):
    def forward(self, x: torch.Tensor):
        y = super().forward(x)
        return Bag(y / 2)


class Quartered(Halved):
    """Of what the base gives back is told there."""

    def forward(self, x: torch.Tensor):
        return super().forward(x / 2)


class Emptied(nn.Module):
    def forward(self, x: torch.Tensor):
        return Bag()
