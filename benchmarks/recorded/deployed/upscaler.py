"""A model that is made by a function, with operators that some runtimes lack."""

import torch
from torch import nn
from torch.nn import functional as F


class Upscaler(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.scale = scale
        self.widen = nn.Conv2d(3, 3 * scale * scale, 3, padding=1)
        self.mix = nn.Conv2d(6, 3, 1)

    def forward(self, image):
        coarse = F.interpolate(image, scale_factor=self.scale, mode="bicubic")
        fine = F.pixel_shuffle(self.widen(image), self.scale)
        both = torch.cat([coarse, fine], dim=1)
        gray = both.mean(dim=1, keepdim=True)
        return self.mix(both) * (gray > gray.median()).float()


def build(scale):
    return Upscaler(scale)
