from __future__ import annotations

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([nn.Linear(3, 3), nn.ReLU()])
        self.named = nn.ModuleDict({"a": nn.Linear(3, 3)})
        self.steps = nn.Sequential(nn.Linear(3, 3), nn.ReLU())
        self.sizes = [1, 2]

    def forward(self, x, key: str):
        for i in range(2):
            x = self.blocks[i](x)  # hit
        for i, block in enumerate(self.blocks):
            x = block(x) * self.sizes[i]
        x = self.blocks[0](x) + self.blocks[-1](x) + self.named["a"](x)
        x = self.named[key](x)  # hit
        last = len(self.steps) - 1
        x = self.steps[last](x)  # hit
        for block in self.blocks[1:]:  # hit
            x = block(x)
        for block in reversed(self.blocks):  # hit
            x = block(x)
        x = x * len(self.blocks[1:])
        kept = [x, x * 2]
        for block, skip in zip(self.blocks, kept[::-1]):  # hit
            x = block(x) + skip
        for block, size in zip(self.blocks, self.steps):
            x = block(x) + size(x)
        if not torch.jit.is_scripting():
            x = self.blocks[i](x)
        return self.pick(x, 1)

    def pick(self, x, number: int):
        return self.blocks[number](x)  # hit

    @torch.jit.ignore
    def ignored(self, x, number: int):
        return self.blocks[number](x)


class Wrapped:
    def __init__(self, model):
        self.model = torch.jit.script(model)


Wrapped(Net())
