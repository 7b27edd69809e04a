import torch
import torch.nn.functional as F
from torch import nn


class Neck(nn.Module):
    """What is given to a convolution is a map, also where it is a part of what forward is given."""

    def __init__(self):
        super().__init__()
        self.sides = nn.ModuleList(nn.Conv2d(width, 64, 1) for width in (64, 128))
        self.head = nn.Conv2d(32, 1, 1)

    def forward(self, maps, named):
        sides = [side(each) for side, each in zip(self.sides, maps)]
        if sides[0].shape[-1] % 2:  # hit
            sides[0] = F.pad(sides[0], (0, 1))
        out = self.head(named["low"])
        if out.size(2) > 64:  # hit
            out = out[:, :, :64]
        if out.size(1) > 1:
            out = out.mean(1, keepdim=True)
        return sides, out


class Named(nn.Module):
    """An input of which the fourth axis is named."""

    def forward(self, x):
        if x.size(3) % 2 == 1:  # hit
            x = x[..., :-1]
        return x


class Turned(nn.Module):
    def forward(self, x):
        x = torch.flip(x, dims=[3])
        if x.size(2) > 32:  # hit
            x = x[:, :, :32]
        return x.mean(dim=(2, 3))


class Rows(nn.Module):
    """Of three axes nothing tells which varies."""

    def forward(self, x):
        x = x.softmax(dim=2)
        return x * 2 if x.shape[1] > 4 else x
