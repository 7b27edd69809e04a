import torch
from torch import nn


class Maps(nn.Module):
    def __init__(self, body):
        super().__init__()
        self.conv, self.pool = nn.Conv2d(3, 8, 3), nn.AdaptiveAvgPool2d((1, 1))
        self.score, self.body = nn.Linear(8, 2), body

    def forward(self, x):
        maps = self.pool(self.conv(x))
        one = self.score(maps.squeeze())  # hit
        two = torch.squeeze(maps)  # hit
        kept = maps.squeeze(-1).squeeze(-1), maps.squeeze(dim=(2, 3)), maps.flatten(1)
        gates = self.conv.weight.squeeze()
        scores = self.score(x.mean((2, 3)))[:, :1].squeeze()
        return one, two, kept, gates, scores, self.body(x).squeeze()
