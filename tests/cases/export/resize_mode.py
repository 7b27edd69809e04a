import torch.nn.functional as F
from torch import nn


class Resize(nn.Module):
    def __init__(self, mode):
        super().__init__()
        self.mode = mode
        self.exact = nn.Upsample(scale_factor=2, mode="nearest-exact")

    def forward(self, x):
        aligned = F.interpolate(  # hit
            x, size=(8, 8), mode="bilinear", antialias=True, align_corners=True
        )
        fraction = F.interpolate(x, scale_factor=0.5, mode="bicubic", antialias=True)  # hit
        whole = F.interpolate(x, scale_factor=2.0, mode="bilinear", antialias=True)
        sized = F.interpolate(x, size=(8, 8), mode="bilinear", antialias=True)
        again = F.interpolate(
            x, scale_factor=0.5, mode="bilinear", antialias=True, recompute_scale_factor=True
        )
        area = F.interpolate(x, size=(8, 8), mode="area")  # hit
        less = F.interpolate(x, scale_factor=0.5, mode="area")  # hit
        more = F.interpolate(x, scale_factor=2.0, mode="area")
        one = F.interpolate(x, size=(1, 1), mode="area")
        return aligned, fraction, whole, sized, again, area, less, more, one
