# profile: onnx-legacy@17
import torch.nn.functional as F
from torch import nn


class Pools(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.one = nn.AdaptiveAvgPool2d(1)
        self.rows = nn.AdaptiveAvgPool2d((None, 1))
        self.column = nn.AdaptiveMaxPool2d((1, None))
        self.given = nn.AdaptiveAvgPool2d(size)
        self.volume = nn.AdaptiveAvgPool3d(2)

    def forward(self, x):
        height, width = x.shape[-2:]
        half = F.adaptive_avg_pool2d(x, (height // 2, width // 2))  # hit
        own = F.adaptive_avg_pool2d(x, x.shape[-2:])  # hit
        least = F.adaptive_avg_pool2d(x, (max(height, 7), 7))  # hit
        rows = self.rows(x)  # hit
        column = self.column(x)  # hit
        volume = self.volume(x[:, :, None])  # hit
        one = self.one(x), self.given(x), F.adaptive_max_pool2d(x, (1, 1))
        return half, own, rows, column, volume, least, one


class Settled(nn.Module):
    """What goes in is always of one size; a window of the same size everywhere is fine."""

    def forward(self, x):
        b, c, h, w = x.shape
        x = F.interpolate(x, size=(28, 14))
        uneven = F.adaptive_avg_pool2d(x, (6, 6))  # hit
        return uneven, F.adaptive_avg_pool2d(x, 7)
