# profile: onnx-legacy@17 torchscript-trace onnx torch.export
import math

import torch.nn.functional as F
from torch import nn


class Scaled(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.scale = scale

    def forward(self, x, y):
        b, c, h, w = x.shape
        a = y[:, :, : int(h / 2)]  # hit
        d = y[:, :, : int(h * 0.75)]  # hit
        e = y[:, :, : int(h * self.scale)]  # hit
        f = y[:, :, : math.ceil(h / 4)]  # hit
        g = y[:, :, : math.floor(h * 0.5)]  # hit
        i = y / math.sqrt(h * w)  # hit
        j = y[:, :, : round(h * 0.5)]  # hit
        k = F.pad(y, [0, -(-w // 4)])  # hit
        m = F.interpolate(y, scale_factor=h / 8)  # hit
        q, r = divmod(h, 4)  # hit
        side = int(y.shape[1] ** 0.5)  # hit
        return a, d, e, f, g, i, j, k, m, q, r, side


class Exact(nn.Module):
    def __init__(self, heads):
        super().__init__()
        self.heads = heads
        self.pe = nn.Parameter(nn.Conv2d(1, 1, 1).weight)

    def forward(self, x, y):
        b, c, h, w = x.shape
        a = y[:, :, : h // 2], y[:, :, : (h + 3) // 4], F.pad(y, [0, -w % 4])
        d = y / math.sqrt(c), y / math.sqrt(x.size(-1)), y * int(c / 2), math.ceil(7 / 2)
        e = F.interpolate(y, scale_factor=2), F.interpolate(y, scale_factor=self.heads / 8)
        f = (h - 1) // 2 + 1, y / h, y * h**0.5, math.prod(x.shape), round(h)
        if math.sqrt(h) > 100:
            raise ValueError(f"{h / 2}")
        n = int((h // length) ** 0.5), int(h // y.shape[2]), int((h // y.shape[2]) ** 0.5)
        return a, d, e, f, n, int(self.pe.shape[1] ** 0.5)
