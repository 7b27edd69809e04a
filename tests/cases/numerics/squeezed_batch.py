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


class Pairs(nn.Module):
    def __init__(self, wide):
        super().__init__()
        self.score = nn.Linear(2 * wide, 1)

    def forward(self, x):
        n = x.size(0)
        left = x.unsqueeze(1).expand(-1, n, -1)
        right = x.unsqueeze(0).expand(n, -1, -1)
        return self.score(torch.cat((left, right), 2)).squeeze()
