"""A detector's neck and head: features are aligned by a learned flow, boxes are decoded on a grid."""

import math

import torch
import torch.nn.functional as F
from torch import nn


class FlowAlign(nn.Module):
    """Warps coarse features onto fine ones by a flow that is learned."""

    def __init__(self, channels):
        super().__init__()
        self.flow = nn.Conv2d(channels * 2, 2, 3, padding=1)

    def forward(self, coarse, fine):
        height, width = fine.shape[-2:]
        coarse = F.interpolate(coarse, (height, width), mode="bilinear", align_corners=False)
        flow = self.flow(torch.cat([coarse, fine], 1)).permute(0, 2, 3, 1)
        return F.grid_sample(coarse, flow.tanh())


class Summary(nn.Module):
    """What the whole image shows, as 7×7 cells; always taken from a map of 14×14."""

    def __init__(self, channels, outputs):
        super().__init__()
        self.pool = nn.AdaptiveAvgPool2d(7)
        self.describe = nn.Linear(channels * 49, outputs)

    def forward(self, features):
        small = F.interpolate(features, (14, 14), mode="bilinear", align_corners=False)
        return self.describe(self.pool(small).flatten(1))


class Head(nn.Module):
    """Boxes (batch, cells, 4) and logits (batch, cells, classes) of one feature map."""

    def __init__(self, channels=32, num_classes=20, stride=8):
        super().__init__()
        self.stride = stride
        self.backbone = nn.Sequential(
            nn.Conv2d(3, channels, 3, 4, 1),
            nn.SyncBatchNorm(channels),
            nn.ReLU(),
            nn.Conv2d(channels, channels, 3, 2, 1),
        )
        self.align = FlowAlign(channels)
        self.summary = Summary(channels, num_classes)
        self.boxes = nn.Conv2d(channels, 4, 1)
        self.logits = nn.Conv2d(channels, num_classes, 1)

    def forward(self, image):
        fine = self.backbone(image)
        features = self.align(F.max_pool2d(fine, 2), fine)
        batch, _, height, width = image.shape
        rows, columns = math.ceil(height / self.stride), math.ceil(width / self.stride)
        boxes = self.boxes(features).flatten(2).transpose(1, 2)
        logits = self.logits(features).flatten(2).transpose(1, 2) + self.summary(fine)[:, None]
        return boxes + self.grid(rows, columns, boxes), logits

    def grid(self, rows, columns, like):
        y, x = torch.meshgrid(torch.arange(rows), torch.arange(columns), indexing="ij")
        corner = torch.stack([x, y], -1).reshape(-1, 2).to(like)
        return torch.cat([corner, corner], -1) * self.stride
