# profile: onnx-legacy@17
import torch.nn.functional as F
from torch import nn


class Warp(nn.Module):
    def forward(self, x, theta):
        grid = F.affine_grid(theta, (1, 3, 64, 64), align_corners=False)  # hit
        return F.grid_sample(x, grid, align_corners=False)


class Volume(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv3d(1, 4, 3, padding=1)
        self.flow = nn.Conv3d(4, 3, 3, padding=1)

    def forward(self, scan):
        x = self.stem(scan)
        return F.grid_sample(x, self.flow(x).permute(0, 2, 3, 4, 1), align_corners=False)  # hit
