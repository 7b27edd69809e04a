# profile: onnx-legacy@18
from functools import partial

import torch
import torch.nn.functional as F
from torch import nn
from torchvision.transforms import InterpolationMode
from torchvision.transforms.functional import resize


class Resize(nn.Module):
    def __init__(self):
        super().__init__()
        self.exact = nn.Upsample(scale_factor=2, mode="nearest-exact")
        self.nearest = nn.Upsample(scale_factor=2)

    def forward(self, x, y):
        smooth = F.interpolate(x, size=(8, 8), mode="bilinear", antialias=True)  # hit
        more = F.interpolate(x, scale_factor=2.0, mode="area")  # hit
        like = F.interpolate(x, size=y.shape[2:], mode="area")  # hit
        x = self.nearest(self.exact(x))  # hit
        one = F.interpolate(x, size=1, mode="area")
        return smooth, more, like, one, F.interpolate(x, size=(8, 8), mode="bicubic")


class Positions(nn.Module):
    """The mode and the flag stand in settings, and the call in a function."""

    def __init__(self, mode="bicubic", antialias=True):
        super().__init__()
        self.settings = dict(mode=mode, antialias=antialias, align_corners=False)
        self.table = nn.Parameter(torch.zeros(1, 8, 14, 14))
        self.stem = nn.Conv2d(3, 8, 16, 16)

    def forward(self, image):
        x = self.stem(image)
        return x + fit(self.table, x.shape[-2:], **self.settings)


def fit(table, size, **options):
    resize = partial(F.interpolate, size=size)
    return resize(table, **options)  # hit


class ByTorchvision(nn.Module):
    def forward(self, x):
        a = resize(x, [8, 8])  # hit
        b = resize(x, [8, 8], InterpolationMode.NEAREST)
        return a, b, resize(x, [8, 8], antialias=False)
