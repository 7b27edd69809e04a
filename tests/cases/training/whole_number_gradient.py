import torch
from torch import nn


class Weights(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.arange(4))  # hit
        self.fixed = nn.Parameter(torch.arange(4), requires_grad=False)
        self.shift = nn.Parameter(torch.arange(4).float())
        self.start = torch.ones(3, dtype=torch.long, requires_grad=True)  # hit
        self.begin = torch.ones(3, requires_grad=True)

    def forward(self, x):
        return x * self.scale + self.shift


def asked_later():
    one = torch.randint(0, 3, (3,)).requires_grad_()  # hit
    two = torch.rand(3).requires_grad_()
    three = torch.arange(3).requires_grad_(False)
    return one, two, three
