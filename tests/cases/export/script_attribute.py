from __future__ import annotations

import functools

from typing import Dict, List

import numpy as np
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


WIDTH, names = 4, "a"
SIZES = [1, 2]
EYE = torch.eye(3)
DEVICE = torch.device("cpu")


def helped(x):
    return x * 2


class Globals(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = functools.partial(torch.clamp, min=0.0)
        self.turn = lambda x: x
        self.kinds = {1, 2}
        self.mixed = [1, "a"]
        self.numbers = [1, 2]
        self.width = SIZES[0]
        self.table = np.zeros(3)

    def forward(self, x, count: int = SIZES[0]):
        x = x * SIZES[0] + EYE  # hit
        x = x.to(DEVICE)  # hit
        x = self.act(x) + len(self.kinds)  # hit
        x = self.turn(x)  # hit
        x = x + self.mixed[0]  # hit
        x = x + self.table[0]  # hit
        SIZED = [1, 2]
        if not torch.jit.is_scripting():
            x = x * SIZES[1]
        return helped(x) * self.numbers[0] * self.width * SIZED[0]


torch.jit.script(Globals())
