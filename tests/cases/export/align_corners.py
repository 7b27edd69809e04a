import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.functional import grid_sample

unset = grid_sample(torch.rand(1, 1, 4, 4), torch.rand(1, 4, 4, 2))  # hit


class Warp(nn.Module):
    def __init__(self, flag, options):
        super().__init__()
        self.flag = flag
        self.options = options
        self.up = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True)
        self.impossible = nn.Upsample(scale_factor=2, align_corners=False)  # hit

    def forward(self, x, theta, size):
        grid = F.affine_grid(theta, (1, 3, 8, 8))  # hit
        none = F.grid_sample(x, grid, align_corners=None)  # hit
        known = F.grid_sample(x, grid, "bilinear", "zeros", False)
        given = F.grid_sample(x, grid, align_corners=self.flag)
        hidden = F.grid_sample(x, grid, **self.options)
        both = F.interpolate(x, size=(8, 8), scale_factor=2.0)  # hit
        nearest = F.interpolate(x, size, mode="nearest", align_corners=True)  # hit
        right = F.interpolate(x, scale_factor=2.0, mode="bilinear", align_corners=True)
        plain = F.interpolate(x, scale_factor=2.0, mode="nearest", align_corners=None)
        return none, known, given, hidden, both, nearest, right, plain


class Settings:
    flag = None


def sample(how, x, grid):
    return how(x, grid)  # hit


class Read(nn.Module):
    def __init__(self, settings=Settings()):
        super().__init__()
        self.options = {"align_corners": settings.flag}

    def forward(self, x, grid):
        given = F.grid_sample(x, grid, **self.options)  # hit
        return sample(F.grid_sample, x, grid), given


class Resize(nn.Module):
    """What goes together is up to who makes it."""

    def __init__(self, size, mode="nearest", align_corners=False):
        super().__init__()
        self.size, self.mode, self.align_corners = size, mode, align_corners

    def forward(self, x):
        return F.interpolate(x, self.size, mode=self.mode, align_corners=self.align_corners)
