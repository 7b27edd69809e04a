# profile: onnx-legacy@17
import torch.nn.functional as F
from torch import nn


class Pools(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.one = nn.AdaptiveAvgPool2d(1)
        self.rows = nn.AdaptiveAvgPool2d((None, 1))  # hit
        self.column = nn.AdaptiveMaxPool2d((1, None))  # hit
        self.given = nn.AdaptiveAvgPool2d(size)
        self.volume = nn.AdaptiveAvgPool3d(2)  # hit

    def forward(self, x):
        height, width = x.shape[-2:]
        half = F.adaptive_avg_pool2d(x, (height // 2, width // 2))  # hit
        own = F.adaptive_avg_pool2d(x, x.shape[-2:])  # hit
        return half, own, F.adaptive_max_pool2d(x, (1, 1))
