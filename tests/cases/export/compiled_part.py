# profile: torchscript-trace onnx-legacy
import re

import torch
from torch import nn


@torch.compile  # hit
def gate(x):
    return x * torch.sigmoid(x)


@torch.compile(dynamic=True)
def apart(x):
    return x * 2


@torch.compiler.disable
def plain(x):
    return x + 1


class Gated(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix = torch.compile(nn.Linear(4, 4))  # hit
        self.last = nn.Linear(4, 4)
        self.last.compile()  # hit
        self.word = re.compile("a")
        self.never = torch.compile(nn.Linear(4, 4))
        self.maybe = torch.compile(nn.Linear(4, 4), disable=True)

    @torch.compile(fullgraph=True)  # hit
    def inner(self, x):
        return x.relu()

    def forward(self, x):
        x = plain(self.inner(gate(self.mix(x))))
        return self.maybe(self.last(x))


def train(model, loader):
    model = torch.compile(model)
    for x in loader:
        model(apart(x)).sum().backward()
