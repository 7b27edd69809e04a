from __future__ import annotations

from typing import Dict, List

import torch
from torch import nn


class Base(nn.Module):
    factor = 3
    names = ("a", "b")

    def forward(self, x):
        return x


class Net(Base):
    scale = 2
    shift: torch.jit.Final[int] = 2
    typed: Dict[str, int]
    sizes: List[int]
    own = 3

    def __init__(self, n):
        super().__init__()
        self.seen = []
        self.known = {}
        self.asked = torch.jit.annotate(List[int], [])
        self.filled = []
        self.typed = {}
        self.sizes = []
        self.own = 4
        for i in range(n):
            self.filled.append(i)

    def forward(self, x):
        x = x * self.scale  # hit
        x = x * self.shift * self.own
        x = x * len(self.seen)  # hit
        x = x * len(self.known)  # hit
        x = x * len(self.asked)  # hit
        x = x * len(self.filled) * len(self.typed) * len(self.sizes)
        if not torch.jit.is_scripting():
            x = x * self.scale
        return self.multiply(x)

    def multiply(self, x):
        return x * self.factor  # hit

    @torch.jit.unused
    def unused(self, x):
        return x * self.scale


class Constant(nn.Module):
    __constants__ = ["rate"]
    rate = 2

    def forward(self, x):
        return x * self.rate


class Unscripted(nn.Module):
    rate = 2

    def forward(self, x):
        return x * self.rate


def save(model=None):
    model = model or Net(2)
    torch.jit.script(model).save("net.pt")


save()
torch.jit.script(Constant())
