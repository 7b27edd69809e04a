# profile: onnx-legacy@10
import torch.nn.functional as F
from torch import nn


class Resize(nn.Module):
    def __init__(self, mode):
        super().__init__()
        self.mode = mode
        self.up = nn.Upsample(scale_factor=2, mode="bilinear")  # hit
        self.twice = nn.UpsamplingBilinear2d(scale_factor=2)  # hit
        self.nearest = nn.Upsample(scale_factor=2)

    def forward(self, x):
        linear = F.interpolate(x, scale_factor=2.0, mode="linear", align_corners=True)  # hit
        cubic = F.interpolate(x, scale_factor=2.0, mode="bicubic")  # hit
        sized = F.interpolate(x, size=(8, 8), mode="bilinear", align_corners=False)  # hit
        smooth = F.interpolate(x, size=(8, 8), mode="bilinear", antialias=True)
        given = F.interpolate(x, scale_factor=2.0, mode=self.mode)
        return linear, cubic, sized, smooth, given, F.interpolate(x, scale_factor=2.0)


def outside(x):
    return F.interpolate(x, scale_factor=2.0, mode="bilinear")
