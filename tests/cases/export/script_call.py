from __future__ import annotations

import time

import einops
import numpy as np
import torch
from einops import rearrange
from torch import nn
from torch.utils.checkpoint import checkpoint


@torch.jit.script
def views(x):
    y = x.view(*x.shape)  # hit
    y = y.view(*x.shape[:-1], 1)  # hit
    y = y.view(*x.size())  # hit
    y = y.view(x.shape)
    pair = (1, 2)
    y = y.sum(*pair)
    with torch.no_grad():
        y = y + 1
    with torch.enable_grad():  # hit
        y = y + 1
    return y


class Base(nn.Module):
    def forward(self, x):
        return x


class Net(Base):
    def __init__(self):
        super().__init__()
        self.attention = Base()
        self.block1 = nn.ReLU()

    def forward(self, x):
        x = super().forward(x)  # hit
        if not torch.jit.is_scripting():
            x = self.python(x, *x.shape)
        for index in range(1):
            x = getattr(self, f"block{index + 1}")(x)  # hit
        x = getattr(self, "block1")(x)
        setattr(self, "last", x)  # hit
        x = nn.ReLU()(x)  # hit
        x = rearrange(x, "b n c -> b c n")  # hit
        x = self.repeated(x)
        return checkpoint(self.attention, x)  # hit

    def repeated(self, x):
        return einops.repeat(x, "b n c -> b n c k", k=2)  # hit

    def python(self, x, *rest):
        return rearrange(x, "b n c -> b c n")


class Later(nn.Module):
    def forward(self, x):
        return nn.ReLU()(x)


def export(kind=Net):
    model = kind().eval()
    scripted = torch.jit.script(obj=model)
    return scripted


export()


@torch.jit.script
def multiplies(adjacency, x):
    y = torch.spmm(adjacency, x)  # hit
    y = torch.mm(adjacency, y)
    return torch.hspmm(adjacency, y) + torch.dsmm(adjacency, x)  # hit


def keeps(array):
    return torch.from_numpy(array)


@torch.jit.script
def guesses(x):
    return x.to(torch.get_default_dtype())  # hit


@torch.jit.script
def outside(x):
    begun = time.time()  # hit
    x = x * np.sqrt(2.0)  # hit
    x = x + torch.Tensor([1.0])  # hit
    if type(x) == torch.Tensor:  # hit
        x = x * 2
    if torch.cuda.is_available():  # hit
        x = x.cuda()
    sizes = [3, -1]
    return x.view(*sizes)  # hit
