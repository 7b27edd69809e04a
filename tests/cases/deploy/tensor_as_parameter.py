import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)
        self.head = nn.Linear(4, 4)
        self.scale = nn.Parameter(torch.ones(4))
        self.kept = torch.ones(4)
        self.register_buffer("seen", torch.zeros(4))
        self.head.weight = self.body.weight
        self.head.bias = None
        self.body.weight = torch.zeros(4, 4)  # hit

    def forward(self, x):
        self.scale = self.scale.to(x.device)
        self.scale = self.scale * 2  # hit
        self.kept = self.kept * 2
        self.seen = self.seen + x.mean(0)
        return self.head(self.body(x)) * self.scale + self.kept + self.seen


def fill(values):
    layer = nn.Conv2d(3, 8, 3)
    layer.weight = torch.randn(8, 3, 3, 3)  # hit
    layer.bias = nn.Parameter(torch.zeros(8))
    layer.weight.data = torch.randn(8, 3, 3, 3)
    layer.note = torch.zeros(1)
    return layer
