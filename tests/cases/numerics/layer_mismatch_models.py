import argparse
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn


@dataclass
class Settings:
    width: int = 32
    heads: int = 4


class Mixer(nn.Module):
    def __init__(self, config: Settings):
        super().__init__()
        self.project = nn.Linear(config.width, 3 * config.width)
        self.narrow = nn.Linear(config.width + 1, config.width)  # hit
        self.pick = nn.GroupNorm(5, config.width)  # hit

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = self.project(x).chunk(3, dim=-1)
        return self.narrow(q)


class Stack(nn.Module):
    def __init__(self, dim, depth):
        super().__init__()
        self.blocks = nn.ModuleList()
        for _ in range(depth):
            self.blocks.append(nn.ModuleList([nn.LayerNorm(dim), nn.Linear(dim + 1, dim)]))  # hit

    def forward(self, x):
        b, n, c = x.shape
        for norm, mix in self.blocks:
            x = x + mix(norm(x))
        return x


class Halved(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.near = nn.Conv2d(channels, 8, 3, padding=1)
        self.far = nn.Conv2d(channels, 8, 3, stride=2, padding=1)

    def forward(self, x):
        return torch.cat([self.near(x), self.far(x)], 1)  # hit


class Digits(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.conv = nn.Conv2d(1, 10, 5)
        self.fc = nn.Linear(12 * 12 * 10, hidden)
        self.out = nn.Linear(64, 10)  # hit

    def forward(self, x):
        x = F.max_pool2d(self.conv(x), 2).flatten(1)
        return self.out(self.fc(x))


class Words(nn.Module):
    """How many axes its input has is not known: nothing is said that hangs on it."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(100, 16)
        self.fc = nn.Linear(16, 4)

    def forward(self, x):
        return torch.cat([self.embed(x).mean(1), torch.zeros(2, 7, 16)], -1)


class Head(nn.Module):
    def __init__(self, anchors=()):
        super().__init__()
        self.levels = len(anchors)

    def forward(self, x):
        return torch.cat([x[i].flatten(1) for i in range(self.levels)], 1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hidden", type=int, default=48)
    args = parser.parse_args()
    model = Digits(args.hidden)
    print(model(torch.randn(2, 1, 28, 28)))


if __name__ == "__main__":
    main()
