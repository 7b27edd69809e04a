# profile: torchscript-script
from typing import List, Optional

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def drop(x, rate):
    return x * rate


class Upsampled(nn.Module):
    def __init__(self, factor=2):
        super().__init__()
        self.factor = factor
        self.rate = 0.5
        self.ratio = 2.0
        self.mask = None
        self.kept: Optional[Tensor] = None
        self.register_buffer("grid", None)

    def forward(self, x):
        x = F.interpolate(x, scale_factor=2, mode="nearest")  # hit
        x = F.interpolate(x, scale_factor=2.0)
        x = F.interpolate(x, None, 2)  # hit
        x = F.interpolate(x, size=7)
        x = torch.nn.functional.interpolate(x, scale_factor=self.factor)  # hit
        x = F.interpolate(x, scale_factor=self.ratio)
        x = drop(x, 0.5)  # hit
        x = drop(x, rate=self.rate)  # hit
        x = drop(x, x.mean())
        self.mask = x  # hit
        self.seen = x  # hit
        self.grid = x
        if torch.jit.is_scripting():
            return x
        return F.interpolate(x, scale_factor=2)


class Joined(nn.Module):
    def forward(self, features, size, count, levels: List[Tensor]):
        height, width = size  # hit
        for _ in range(count):  # hit
            features = features + 1
        return torch.cat(levels, 1) + height + width


class Root(nn.Module):
    def forward(self, features):
        return torch.cat(features, dim=1)  # hit


class Flagged(nn.Module):
    def forward(self, x):
        is_list = isinstance(x, (tuple, list))
        if is_list:
            x = torch.cat(x, dim=0)  # hit
        return x


class Asked(nn.Module):
    def forward(self, x):
        if isinstance(x, (tuple, list)):
            x = torch.cat(x, dim=0)
        return x


class Listed(nn.Module):
    def forward(self, x):
        x = [x, x * 2]
        first, second = x[0], x[1]
        return torch.cat(x, dim=0) + first + second


class Auxiliary(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Conv2d(3, 3, 1)

    def forward(self, x):
        y = self.head(x)
        if self.training:
            return y.sigmoid(), y
        return y.sigmoid()  # hit


class Attended(nn.Module):
    def forward(self, x, weights: bool = False):
        if weights:
            return x, x.softmax(-1)
        return (x,)  # hit


class Optionally(nn.Module):
    def forward(self, x, mask: Optional[Tensor] = None):
        if mask is None:
            return x.relu()
        return x.relu(), mask


class Always(nn.Module):
    def forward(self, x):
        if self.training:
            return x, x * 2
        return x, x * 3


class Changing(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, 3)])
        self.down = nn.Linear(3, 3)

    def forward(self, x):
        last = None
        for _ in range(3):
            last = x * 2  # hit
        kept: Optional[Tensor] = None
        total = 0
        if x.size(0) > 1:
            kept = x
            total = total * 0.5  # hit
            total = total // 2
        short = None
        if self.down is not None:
            short = self.down(x)
        part = None
        for layer in self.layers:
            part = layer(x)
        rate = 0.5 if self.training else 0  # hit
        count = 2 if self.training else 0
        whole = x if x.size(0) > 1 else 0  # hit
        few = [x, x]
        both = sum(few) + sum([1, 2])  # hit
        first, *rest = x.shape  # hit
        one, *others = (1, 2, 3)
        return x * rate * count
