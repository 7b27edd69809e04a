"""Models that keep something, draw by chance, or are left in training."""

import torch
from torch import nn
from torch.nn import functional as F


class Counted(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(1))
        self.calls = 0

    def forward(self, features):
        self.seen += 1
        self.calls += 1
        return features * self.seen + self.calls


class Noisy(nn.Module):
    def forward(self, features):
        return F.dropout(features, 0.5) + torch.randn_like(features)


class Written(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm2d(3)

    def forward(self, image):
        out = torch.zeros_like(image)
        out[:, :, 1:] = image[:, :, :-1]
        out[:, 0] += 1
        return self.norm(out).flatten(1).T
