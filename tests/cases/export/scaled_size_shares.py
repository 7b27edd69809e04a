import math

import torch
from torch import nn


class Patches(nn.Module):
    def __init__(self):
        super().__init__()
        self.unfold = nn.Unfold(3, stride=2, padding=1)
        self.embed = nn.Conv2d(27, 8, 1)
        self.down = nn.Conv2d(3, 8, 3, stride=2, padding=1)

    def forward(self, x):
        height, width = x.shape[-2:]
        patches, low = self.unfold(x), self.down(x)
        number = patches.shape[-1]
        ratio = int(math.sqrt((height * width) / number))
        other = int(((height * width) / number) ** 0.5)
        x = self.embed(patches.view(patches.size(0), -1, height // ratio, width // other))
        scale = round(height / low.shape[2])
        x = nn.functional.pad(x, (scale, 0))
        side = int(math.ceil(height / width))  # hit
        half = int(width / 2)  # hit
        return x[:, :, :side, :half]
