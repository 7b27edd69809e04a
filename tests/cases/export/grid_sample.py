import torch.nn.functional as F
from torch import nn


class Warp(nn.Module):
    def __init__(self, flag):
        super().__init__()
        self.flag = flag

    def forward(self, x, theta):
        varying = F.affine_grid(theta, x.size(), align_corners=False)  # hit
        batch, _, height, width = x.shape
        parts = F.affine_grid(theta, (batch, 3, height, width), align_corners=False)  # hit
        fixed = F.affine_grid(theta, (batch, 3, 64, 64), align_corners=True)
        given = F.affine_grid(theta, (batch, 3, 64, 64), align_corners=self.flag)
        shifted = F.grid_sample(x, fixed, align_corners=False)  # hit
        unset = F.grid_sample(x, fixed)  # hit
        same = F.grid_sample(x, fixed, align_corners=True)
        unknown = F.grid_sample(x, given, align_corners=True)
        return varying, parts, shifted, unset, same, unknown


def identity(like, kind=F.affine_grid):
    theta = like.new_zeros(like.size(0), 2, 3)
    return kind(theta, size=list(like.shape), align_corners=False)  # hit


class Transformer(nn.Module):
    """The size is one that settings fix, or is passed on to a helper."""

    def __init__(self, side=32):
        super().__init__()
        self.side = side
        self.stem = nn.Conv2d(3, 8, 3)
        self.theta = nn.Linear(8, 6)

    def forward(self, image):
        x = self.stem(image)
        theta = self.theta(x.mean((2, 3))).view(-1, 2, 3)
        size = x.size(0), x.size(1), self.side, self.side
        grid = F.affine_grid(theta, size, align_corners=False)
        return F.grid_sample(x, grid, align_corners=False), identity(x)


def make_grid(theta, flags):
    return F.affine_grid(theta, (1, 3, 64, 64), align_corners=flags["made"])


class Pair(nn.Module):
    flags = {"made": True, "read": False}

    def forward(self, x, theta):
        grid = make_grid(theta, self.flags)
        sample, how = F.grid_sample, dict(align_corners=self.flags["read"])
        return sample(x, grid, **how), sample(x, grid, align_corners=True)  # hit
