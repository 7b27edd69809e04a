# profile: onnx-legacy@18
import torch.nn.functional as F
from torch import nn


class Resize(nn.Module):
    def __init__(self):
        super().__init__()
        self.exact = nn.Upsample(scale_factor=2, mode="nearest-exact")  # hit
        self.nearest = nn.Upsample(scale_factor=2)

    def forward(self, x, y):
        smooth = F.interpolate(x, size=(8, 8), mode="bilinear", antialias=True)  # hit
        more = F.interpolate(x, scale_factor=2.0, mode="area")  # hit
        like = F.interpolate(x, size=y.shape[2:], mode="area")  # hit
        one = F.interpolate(x, size=1, mode="area")
        return smooth, more, like, one, F.interpolate(x, size=(8, 8), mode="bicubic")
