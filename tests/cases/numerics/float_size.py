import math
from functools import partial

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn import Conv2d as Conv

WIDTH = 64
CONFIG = {"width": WIDTH / 2}


class Block(nn.Module):
    def __init__(self, inp, out, groups, ratio: float = 4):
        super().__init__()
        mid = out / 4  # hit
        self.a = nn.Conv2d(inp, mid, 1, groups=groups, bias=False)
        self.b = nn.BatchNorm2d(mid)
        self.c = Conv(mid, out, 1)
        self.d = nn.Linear(2 * mid, out)
        self.e = nn.Linear(int(out / 4), round(out / 4))
        self.f = nn.Linear(out // 4, math.ceil(out / 4))
        self.g = nn.Linear(out, out * ratio)
        self.h = nn.Dropout(out / 100)
        self.i = nn.LayerNorm([out, out / 2])  # hit
        self.j = nn.Conv2d(out, out, 3, padding=3 / 2)  # hit
        self.k = nn.Conv2d(out, out, (3, 3), padding=(3 // 2, 1))
        self.m = nn.Upsample(scale_factor=out / 2)
        self.n = nn.Linear(64, 32.0)  # hit

    def forward(self, x):
        half = x.size(1) / 2  # hit
        y = x.view(-1, half)
        y = y.reshape(-1, half)
        z = F.interpolate(x, size=(x.shape[2] / 2, x.shape[3] // 2))  # hit
        z = F.interpolate(z, size=[int(each / 2) for each in x.shape[2:]])
        for _ in range(x.size(0) / 2):  # hit
            z = z + 1
        return y, z, x * half


class Settings(nn.Module):
    def __init__(self, width=CONFIG["width"], make=partial(nn.Linear, 8)):
        super().__init__()
        self.fc = nn.Linear(8, width)  # hit
        self.gc = make(WIDTH / 4)  # hit

    def forward(self, x):
        side = math.sqrt(x.shape[0])
        grid = x.view(side, side)  # hit
        rows = x.chunk(x.shape[0] / 2)  # hit
        old = torch.FloatTensor(4, x.shape[0] / 2)  # hit
        data = torch.FloatTensor([x.shape[0] / 2])
        return old, data, grid, rows, torch.zeros(np.ceil(x.shape[1] / 3))  # hit


def on_tensors(x: torch.Tensor, n: torch.Tensor):
    middle = n / 2
    return torch.zeros_like(x) + middle, torch.full((2,), 1 / 2), torch.arange(x.size(0) / 2)


def guarded(n: int):
    try:
        return torch.zeros(n / 2)
    except TypeError:
        return torch.zeros(n // 2)
