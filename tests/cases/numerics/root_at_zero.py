import torch
from torch import nn


class PairLoss(nn.Module):
    def forward(self, features, same):
        offsets = features.unsqueeze(0) - features.unsqueeze(1)
        distances = offsets.pow(2).sum(-1).sqrt()  # hit
        return (same * distances).mean()


class SafeLoss(nn.Module):
    def forward(self, features, same):
        offsets = features.unsqueeze(0) - features.unsqueeze(1)
        distances = (offsets.pow(2).sum(-1) + 1e-9).sqrt()
        return (same * distances).mean()


class OtherLoss(nn.Module):
    def forward(self, features, targets):
        offsets = features.unsqueeze(0) - targets.unsqueeze(1)
        return offsets.pow(2).sum(-1).sqrt().mean()


def pair_loss(x):
    squares = (x * x).sum(1)
    apart = squares[:, None] + squares[None, :] - 2 * x @ x.t()
    return (apart.clamp(min=0) ** 0.5).mean()  # hit


def clamped_loss(x):
    return x.clamp(min=0).sqrt().mean()


def train(points):
    pair_loss(points).backward()
    clamped_loss(points).backward()
    with torch.no_grad():
        apart = points[:, None] - points[None]
        print((apart**2).sum(-1).sqrt())


train(torch.randn(4, 3, requires_grad=True))


class Pairs(torch.utils.data.Dataset):
    """What makes samples, or measures, works out no gradients."""

    def __init__(self, points):
        self.points = torch.randn(8, 3) if points is None else points

    def __len__(self):
        return 8

    def __getitem__(self, index):
        points = torch.randn(4, 3)
        return ((points[:, None] - points[None]) ** 2).sum(-1).sqrt()


def evaluate_pairs():
    points = torch.randn(4, 3)
    return ((points[:, None] - points[None]) ** 2).sum(-1).sqrt()


Pairs(None)[0]
evaluate_pairs()
