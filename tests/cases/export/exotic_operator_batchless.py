# profile: onnx onnx-legacy@17
"""Images and signals without an axis for the batch."""

import torch
import torch.nn.functional as F
from torch import nn


class Peaks(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Conv2d(8, 17, 3)
        self.pool = nn.MaxPool2d(3, stride=1, padding=1)
        self.mean = nn.AdaptiveAvgPool2d(1)

    def forward(self, x):
        scores = self.head(x).softmax(1)[:, :-1]
        b, _, h, w = scores.shape
        heat = scores.permute(0, 2, 3, 1).reshape(b, h, w, 4, 4)
        heat = heat.permute(0, 1, 3, 2, 4).reshape(b, h * 4, w * 4)
        best = F.max_pool2d(heat, 3, 1, 1) == heat  # hit
        again = self.pool(heat)  # hit
        whole = self.pool(heat.unsqueeze(1)).squeeze(1)
        mean = self.mean(scores[0])  # hit
        kept = self.mean(scores)
        wide = F.pixel_shuffle(scores[0], 2)  # hit
        parts = F.unfold(scores[0], 3), F.unfold(scores, 3)  # hit
        return best, again, whole, mean, kept, wide, parts


class Line(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(8, 8, 3)

    def forward(self, x):
        row = self.conv(x)[0]
        short = F.avg_pool1d(row, 2)  # hit
        return short, F.avg_pool1d(row[None], 2), F.avg_pool1d(self.conv(x), 2), self.conv(row)


def peaks(points: torch.Tensor):
    return F.max_pool2d(points.view(3, 8, 8), 2)
