# profile: onnx-legacy@17 # target: tensorrt-7.2 onnxruntime-1.16
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.functional import celu


class Net(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.act = nn.PReLU()
        self.norm = nn.LayerNorm(width)  # hit
        self.other = nn.BatchNorm2d(width)
        self.celu = nn.CELU()  # hit
        self.layers = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ELU())

    def forward(self, x: torch.Tensor, grid: torch.Tensor):
        x = F.grid_sample(x, grid)  # hit
        x = celu(x)  # hit
        y = torch.einsum("bij,bjk->bik", x, x)  # hit
        z = x.cumsum(1)  # hit
        if self.training:
            z = torch.cumsum(z, 1)
        up = F.interpolate(x, scale_factor=2)
        return y, z, up, F.relu(x), torch.sin(x)


def prepare(x):
    return torch.cumsum(x, 1)


def other(x, einsum):
    return einsum("ij", x)


class Sizes(nn.Module):
    def forward(self, x: torch.Tensor, c: torch.Tensor):
        a = torch.where(c, x, x)
        b = F.interpolate(x, size=(7, 7), mode="area")
        return a, b, F.softplus(x)
