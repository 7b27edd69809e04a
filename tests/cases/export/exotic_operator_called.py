# profile: onnx-legacy@17 onnx torchscript-trace torch.export
import torch
from torch import nn


class Called(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(8, 8, 3, padding=1)
        self.register_buffer("mean", torch.zeros(8))

    def forward(self, x):
        y = self.conv(x)
        index = (y * 2).long()
        names, places = torch.unique(index, return_inverse=True)  # hit
        names = torch.unique(index)
        flat = torch.unique(index.flatten(), return_inverse=True)
        counts = torch.full((y.shape[1],), 2)
        rows = y.repeat_interleave(counts, dim=1)  # hit
        rows = y.repeat_interleave(2, dim=1)
        some = torch.take_along_dim(y, y.argsort(1), 1)  # hit
        seen = torch.as_strided(y, (y.shape[0], 4), (y.stride(0), 1))  # hit
        seen = torch.as_strided(y, (y.shape[0], 4), (8, 1)) + seen
        kept = y.clone()
        kept.copy_(y.mean(0))  # hit
        kept[:, :4].copy_(y[:, :4])
        self.mean.copy_(y.mean((0, 2)))  # hit
        kept[:, 4:].copy_(y.mean(0)[4:])  # hit
        return names, places, flat, rows, some, seen, kept


class Named(nn.Module):
    def forward(self, x: torch.Tensor):
        line = x.ravel()  # hit
        low, high = torch.aminmax(x)  # hit
        least, most = torch.aminmax(x, dim=1)
        top = torch.fmax(x, x + 1)  # hit
        sign = torch.sgn(x)  # hit
        left, right = torch.hsplit(x, 2)  # hit
        both = torch.maximum(x, x + 1) + x.sign()
        mixed = x[torch.randperm(4)]  # hit
        return line, mixed, least, most, low, high, top, sign, left, right, both


class Voxels(nn.Module):
    def forward(self, points: torch.Tensor, edges: torch.Tensor):
        cells = points // 0.05  # hit
        cells = torch.div(points, 0.05, rounding_mode="floor") + cells
        steps = points.abs() // 0.05
        whole = edges.long() // 2
        return cells, steps, whole


class Places(nn.Module):
    def __init__(self):
        super().__init__()
        self.heat = nn.Conv2d(3, 4, 1)

    def forward(self, x):
        b, c, h, w = x.shape
        best = self.heat(x).flatten(2).argmax(-1)
        left = best % w  # hit
        left = torch.remainder(best, w) + left  # hit
        left = best - best // w * w + left + best % 4
        return left, best // w, x.flatten(2) % w
