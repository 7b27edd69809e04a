from functools import partial

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn import AdaptiveMaxPool2d


class Pools(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.one = nn.AdaptiveAvgPool2d(1)
        self.pair = nn.AdaptiveAvgPool2d((1, 1))
        self.rows = nn.AdaptiveAvgPool2d((None, 1))
        self.given = nn.AdaptiveAvgPool2d(size)
        self.keyword = nn.AdaptiveAvgPool2d(output_size=(7, 7))
        self.maximum = AdaptiveMaxPool2d((1, 4))
        self.unused = nn.AdaptiveAvgPool2d(3)
        self.fine = partial(F.adaptive_avg_pool2d, output_size=3)

    def forward(self, x):
        own = F.adaptive_avg_pool2d(x, x.shape[-2:])
        fixed = F.adaptive_avg_pool2d(x, 6)  # hit
        seven = self.keyword(x)  # hit
        four = self.maximum(x)  # hit
        three = self.fine(x)  # hit
        if self.training:
            seven = self.unused(x)
        line = torch.adaptive_avg_pool1d(x.flatten(2), 8)  # hit
        rows = self.rows(x)  # hit
        return own, fixed, seven, four, three, line, rows, self.one(x), self.pair(x), self.given(x)


class Pyramid(nn.Module):
    """Bins in a loop, each behind a convolution."""

    def __init__(self, channels, bins=(1, 2, 3, 6)):
        super().__init__()
        self.stages = nn.ModuleList([self.make_stage(channels, each) for each in bins])

    def make_stage(self, channels, cells):
        return nn.Sequential(nn.AdaptiveAvgPool2d(output_size=(cells, cells)), nn.Conv2d(channels, 16, 1))

    def forward(self, features):
        size = features.shape[2:]
        pooled = [F.interpolate(stage(features), size=size) for stage in self.stages]  # hit
        return torch.cat([features, *pooled], 1)


class Fast(nn.Module):
    """The layer is built where it is called, by a method with the number of cells."""

    def pool(self, x, size):
        avgpool = nn.AdaptiveAvgPool2d(size)
        return avgpool(x)  # hit

    def forward(self, x):
        return self.pool(x, 1), self.pool(x, 2)


class Head(nn.Module):
    def __init__(self, cells=7):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3)
        self.pool = nn.AdaptiveAvgPool2d(cells) if cells else nn.Identity()

    def forward(self, x):
        x = F.interpolate(self.stem(x), size=(28, 28))
        return self.pool(x).flatten(1)


class Settled(nn.Module):
    """What goes in is always of one size."""

    def forward(self, x):
        b, c, h, w = x.shape
        x = F.interpolate(x, size=(28, 14))
        return F.adaptive_avg_pool2d(x, 7), F.adaptive_avg_pool2d(x, (6, 6))


class Volume(nn.Module):
    def __init__(self):
        super().__init__()
        self.pool = nn.AdaptiveAvgPool3d(2)

    def forward(self, clip):
        return self.pool(clip)  # hit


class Halved(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(4, 8, 3)

    def forward(self, sound):
        x = self.conv(sound)
        return F.adaptive_avg_pool1d(x, x.shape[-1] // 2)  # hit


def outside(x):
    return F.adaptive_avg_pool2d(x, 6)


class Inverted(nn.Module):
    def __init__(self, decoder):
        super().__init__()
        self.decoder = decoder
        self.face_pool = nn.AdaptiveAvgPool2d((256, 256))

    def forward(self, codes):
        images, latent = self.decoder([codes])
        return self.face_pool(images), latent


class Embedded(nn.Module):
    def __init__(self, encoder):
        super().__init__()
        self.encoder = encoder
        self.face_pool = nn.AdaptiveAvgPool2d((256, 256))

    def forward(self, image):
        maps = self.encoder(image)
        return self.face_pool(maps)  # hit
