# profile: torchscript-trace
from collections.abc import Iterable

import torch.nn.functional as F
from torch import nn


def to_tuple(size):
    if isinstance(size, Iterable):  # hit
        return tuple(size)
    return size, size


def to_list(size):
    return [size, size] if not hasattr(size, "__len__") else list(size)  # hit


def wrap(size):
    if isinstance(size, Iterable):
        return size
    return size, size


class Traced(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 3, 1)

    def forward(self, image):
        image = self.conv(image)
        height, width = image.shape[-2:]
        x = F.interpolate(image, size=to_tuple(height))
        x = F.interpolate(x, size=to_list(width))
        x = F.interpolate(x, size=to_tuple(image.shape[2:]))
        return F.interpolate(x, size=wrap(width))


def trim(x, reference):
    if hasattr(reference, "size"):  # hit
        reference = reference.size(-1)
    delta = x.size(-1) - reference
    return x[..., delta // 2 : x.size(-1) - (delta - delta // 2)]


class Trimmed(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 3, 1)

    def forward(self, image):
        made = self.conv(image)
        return trim(made, image.size(-1) - 4), trim(made, image)
