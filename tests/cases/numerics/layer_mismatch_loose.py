import torch
from torch import nn


class Collected:
    def __init__(self):
        self.kept = []

    def add(self, batch):
        self.kept.append(batch)

    def compute(self):
        return torch.cat(self.kept)


class Heads(nn.Module):
    """Each layer has a map of its own."""

    def build(self, count):
        places = [nn.Conv2d(128, 84, 3), nn.Conv2d(256, 4, 3)]
        classes = [nn.Conv2d(128, 21 * count, 3), nn.Conv2d(256, count, 3)]
        return nn.Sequential(*places), nn.Sequential(*classes)

    def build_row(self):
        row = nn.Sequential(nn.Conv2d(3, 8, 3), nn.Conv2d(16, 8, 3))  # hit
        return row


class Contexts(nn.Module):
    """-1 is a setting that says that there is no limit: the script builds it with others."""

    def __init__(self, frames=(-1,)):
        super().__init__()
        self.frames = frames


class Streaming(nn.Module):
    def __init__(self, encoder: Contexts):
        super().__init__()
        self.left = encoder.frames[0]

    def forward(self, x, lens):
        mask = torch.arange(self.left, device=x.device).expand(x.size(0), self.left)
        return (lens.unsqueeze(1) <= mask).flip(1)


class Backwards(nn.Module):
    def forward(self, x):
        return x + torch.arange(-3)  # hit


Streaming(Contexts())(torch.randn(2, 4), torch.zeros(2))
