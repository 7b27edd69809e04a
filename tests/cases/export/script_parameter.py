from __future__ import annotations

from typing import Callable, Dict, List, Optional

import torch
from torch import Tensor, nn
from torch.jit import script


@script
def several(*xs):  # hit
    return xs[0]


@torch.jit.script
def defaults(x, k=2, mask: Optional[Tensor] = None, s: float = 1.0):  # hit
    sizes = []
    for i in range(3):
        sizes.append(x.size(0))
        sizes.append(1)
    kept = []
    kept.append(x)
    named = {}
    named["a"] = 1
    tensors = {}
    tensors["a"] = x
    typed: List[int] = []
    typed.append(1)
    return x * k


@torch.jit.script
def statements(x, f: Callable):  # hit
    import math
    try:
        y = x + 1
    except RuntimeError:
        y = x
    key = lambda v: v
    if (n := x.dim()) > 1:
        y = y + n
    odd = [i for i in range(4) if i % 2]
    even = [i for i in range(4)]
    for i in range(3):
        y = y + i
    else:
        y = y * 2
    text = f"{x.dim()}"
    text = f"{x.dim():d}"
    both = {1, 2}
    later: int
    y = y.view(*x.shape)
    y = y.view(*x.shape[:-1], 1)
    y = y.view(x.shape)
    pair = (1, 2)
    y = y.sum(*pair)
    with torch.no_grad():
        y = y + 1
    with torch.enable_grad():
        y = y + 1

    def inner(v):
        yield v

    return torch.sum(y, **options)


def helper(x, *rest):  # hit
    return x


def masked(x, mask=None, other: Tensor = None, used=None):  # hit
    if mask is None:
        return helper(x)
    return x * mask


@script
def typed(x, d: dict[str, Tensor], bare: dict, m=None):  # hit
    if m is not None:
        return x * m
    return x


def plain(x, *rest, **options):
    try:
        return (lambda v: v)(x)
    finally:
        pass


class Base(nn.Module):
    def forward(self, x):
        return x


class Part(nn.Module):
    def forward(self, x, **kwargs):  # hit
        return x


class Net(Base):
    scale = 2
    shift: torch.jit.Final[int] = 2
    typed: Dict[str, int]
    own = 3

    def __init__(self, n):
        super().__init__()
        self.part = Part()
        self.blocks = nn.ModuleList([nn.Linear(3, 3), nn.ReLU()])
        self.seen = []
        self.filled = []
        self.typed = {}
        self.own = 4
        for i in range(n):
            self.filled.append(i)
        self.maybe = Unused() if n else None

    def forward(self, x):
        x = super().forward(x)
        x = x * self.scale
        x = x * self.shift * self.own
        x = x * len(self.seen)
        x = x * len(self.filled) * len(self.typed)
        for i in range(2):
            x = self.blocks[i](x)
        for block in self.blocks:
            x = block(x)
        if not torch.jit.is_scripting():
            x = self.blocks[i](x)
            x = self.python(x, *x.shape)
        if torch.jit.is_scripting():
            return self.blocks[0](x) + self.step(x)
        return self.python(self.blocks[i](x))

    def step(self, x, k: int = 1, *, b=1):  # hit
        return x

    def python(self, x, *rest):
        return (lambda v: v)(x)

    @torch.jit.unused
    def unused(self, *rest):
        yield 1

    @torch.jit.export
    def encode(self, *rest):  # hit
        return 1


class Unused(nn.Module):
    def forward(self, *xs, **kwargs):
        yield xs


torch.jit.script(masked)
model = Net(2).eval()
torch.jit.script(model)
torch.jit.script(Loaded())
torch.jit.script()
torch.jit.script(*[model])


@script
def types(x, d: dict[str, Tensor], e: Dict[str, int], n: list[int], m: Tensor | None = None):
    if m is not None:
        return x * m
    return x
