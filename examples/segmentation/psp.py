"""A small pyramid-pooling segmentation network, in the manner of PSPNet."""

import torch
import torch.nn.functional as F
from torch import nn


def conv_bn(inputs, outputs, stride=1):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(inplace=True),
    )


class PyramidPooling(nn.Module):
    """Context at several scales: pooled to a few cells, reduced, and stretched back."""

    def __init__(self, channels, bins=(1, 2, 4)):
        super().__init__()
        self.one = nn.AdaptiveAvgPool2d(1)
        self.four = nn.AdaptiveAvgPool2d(4)
        self.reduce_one = nn.Conv2d(channels, channels // 2, 1)
        self.reduce_four = nn.Conv2d(channels, channels // 2, 1)

    def forward(self, x):
        size = x.shape[-2:]
        one = F.interpolate(self.reduce_one(self.one(x)), size, mode="bilinear", align_corners=False)
        four = F.interpolate(self.reduce_four(self.four(x)), size, mode="bilinear", align_corners=False)
        return torch.cat([x, one, four], 1)


class Attention(nn.Module):
    """Channel attention; one weight per image and channel."""

    def __init__(self, channels):
        super().__init__()
        self.weigh = nn.Linear(channels, channels)

    def forward(self, x):
        batch = int(x.size(0))
        weights = self.weigh(x.mean((2, 3))).sigmoid()
        return x * weights.view(batch, -1, 1, 1)


class PSPNet(nn.Module):
    def __init__(self, num_classes=19, width=32):
        super().__init__()
        self.stem = nn.Sequential(conv_bn(3, width, 2), conv_bn(width, width * 2, 2))
        self.body = conv_bn(width * 2, width * 2)
        self.context = PyramidPooling(width * 2)
        self.attention = Attention(width * 4)
        self.head = nn.Conv2d(width * 4, num_classes, 1)

    def forward(self, image):
        features = self.context(self.body(self.stem(image)))
        logits = self.head(self.attention(features))
        return F.interpolate(logits, scale_factor=4.0, mode="bilinear", align_corners=True)
