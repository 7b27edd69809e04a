"""Models that take turns: by a size, by a value, by an argument, and several things returned."""

import torch
from torch import nn


class BySize(nn.Module):
    def forward(self, image):
        if image.shape[-1] > 64:
            return image[..., ::2]
        return image * 2


class ByValue(nn.Module):
    def forward(self, image):
        if image.mean() > 0:
            image = image - image.mean()
        return image.clamp(max=float(image.abs().max()) / 2)


class Optional(nn.Module):
    def __init__(self):
        super().__init__()
        self.score = nn.Linear(8, 2)

    def forward(self, features, weights=None):
        scores = self.score(features)
        if weights is not None:
            scores = scores * weights
        return {"scores": scores, "best": scores.argmax(-1)}


class Kept(nn.Module):
    def forward(self, boxes, scores):
        kept = scores > 0.5
        return boxes[kept], torch.nonzero(kept)
