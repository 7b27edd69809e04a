# profile: torch.export
import collections.abc
from numbers import Number

import torch
import torch.nn.functional as F
from torch import nn


def make_pair(size):
    if isinstance(size, int):  # hit
        return size, size
    return tuple(size)


def spread(size, count):
    return (size,) * count if type(size) is int else list(size)  # hit


def keep(size):
    if isinstance(size, int):
        size = (size, size)
    return size


def check(size):
    if not isinstance(size, (int, float)):  # hit
        raise TypeError("no number")
    return size


def read(size):
    return size if isinstance(size, int) else size.item()  # hit


class Sized(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 3, 1)

    def forward(self, image):
        image = self.conv(image)
        height, width = image.shape[-2:]
        assert isinstance(height, int)  # hit
        if isinstance(height, Number):  # hit
            image = image / height
        if not isinstance(height, (int, torch.SymInt, torch.Tensor)):
            raise TypeError
        x = F.interpolate(image, size=make_pair(height))
        x = F.interpolate(x, size=spread(width, 2))
        x = F.interpolate(x, size=keep(height))
        return x * check(width / 2) * read(width)


class Plain(nn.Module):
    """Numbers that are ints everywhere, and questions that sizes answer alike."""

    def __init__(self, size=7, scale=(2, 2)):
        super().__init__()
        self.conv = nn.Conv2d(3, 3, 1)
        self.size, self.scale = size, scale

    def forward(self, image, mask=None):
        image = self.conv(image)
        assert isinstance(image.dim(), int)
        assert isinstance(len(self.scale), int)
        x = F.interpolate(image, size=make_pair(self.size))
        x = F.interpolate(x, size=make_pair(image.shape[2:]))
        size = image.shape[2]
        if isinstance(size, collections.abc.Sequence):
            size = size[0]
        if isinstance(size, torch.SymInt):
            torch._check(size > 3)
        return x * size
