"""Objects of classes that nobody here wrote, and lists that hold themselves."""

import torch
from elsewhere import Backbone
from torch import nn


class Head(nn.Module):
    def __init__(self, backbone, width):
        super().__init__()
        self.backbone = backbone
        self.out = nn.Linear(width, 2)

    def forward(self, x):
        return self.out(x)


class Net(nn.Module):
    def __init__(self, settings):
        super().__init__()
        self.head = Head(Backbone(settings.kind, deep=settings.deep), 4)

    def forward(self, x):
        rows = [1, 2]
        rows.append(rows)
        torch.is_tensor(rows)
        return self.head(torch.ones(3, 4))  # value: float32[3, 2]


class OfSeveralRanks(nn.Module):
    def forward(self, x, y):
        if x.dim() == 4:
            b, c, h, w = x.shape
            x = x.view(b, -1, w)
        if y.ndim == 4:
            b, c, h, w = y.shape
        x  # value: tensor[...]
        return y.shape[1]  # value: int y.1
