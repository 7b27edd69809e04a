"""A slim classifier of shuffled group convolutions, trained with mixed precision."""

import torch
from torch import nn


class ShuffleUnit(nn.Module):
    def __init__(self, channels):
        super().__init__()
        half = channels // 2
        self.branch = nn.Sequential(
            nn.Conv2d(half, half, 1, bias=False),
            nn.BatchNorm2d(half),
            nn.ReLU(inplace=True),
            nn.Conv2d(half, half, 3, padding=1, groups=half, bias=False),
            nn.BatchNorm2d(half),
            nn.Conv2d(half, half, 1, bias=False),
            nn.BatchNorm2d(half),
            nn.ReLU(inplace=True),
        )

    def forward(self, x):
        kept, changed = x.chunk(2, dim=1)
        joined = torch.cat([kept, self.branch(changed)], 1)
        batch, channels, height, width = joined.data.size()
        return joined.view(batch, 2, channels // 2, height, width).transpose(1, 2).flatten(1, 2)


class SlimNet(nn.Module):
    def __init__(self, num_classes=10):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 116, 3, 4, 1), nn.BatchNorm2d(116), nn.ReLU())
        self.units = nn.Sequential(ShuffleUnit(116), ShuffleUnit(116))
        self.widen = nn.Conv2d(116, 212, 1)
        self.mix = nn.Conv2d(212, 424, 1)
        self.pool = nn.AdaptiveAvgPool2d((1, 1))
        self.drop = nn.Dropout(0.2)
        self.classify = nn.Linear(424, num_classes)

    def forward(self, image):
        with torch.autocast(image.device.type, dtype=torch.bfloat16, enabled=self.training):
            features = self.mix(self.widen(self.units(self.stem(image))))
        pooled = self.pool(features.float()).view(image.size(0), -1)
        return self.classify(self.drop(pooled))
