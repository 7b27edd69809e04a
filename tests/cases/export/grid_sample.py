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
