import torch
import torch.nn.functional as F
from torch import nn


def geodesic(one, other):
    turn = torch.matmul(one.transpose(-1, -2), other)
    trace = turn.diagonal(dim1=-2, dim2=-1).sum(-1)
    return torch.acos((trace - 1) / 2).mean()  # hit


class ArcMargin(nn.Module):
    def __init__(self, wide, classes, margin=0.5):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(classes, wide))
        self.margin = margin

    def forward(self, x):
        cosine = F.linear(F.normalize(x), F.normalize(self.weight))
        theta = torch.acos(torch.clamp(cosine, -1.0 + 1e-7, 1.0 - 1e-7))
        return torch.cos(theta + self.margin)


def by_norms(a, b):
    dots = (a * b).sum(-1)
    return (dots / (a.norm(dim=-1) * b.norm(dim=-1))).acos()  # hit


def products(q):
    return torch.arccos(F.normalize(q, dim=1) @ F.normalize(q, dim=1).T)  # hit


def clipped(a, b):
    dots = (a * b).sum(-1).clip(-1, 1)
    return torch.acos(dots)


def bounded(x):
    return torch.acos(torch.tanh(x)) + torch.asin(torch.sin(x))


def given(cosine):
    return torch.acos(cosine)


def scaled(a, b):
    return torch.acos((a * b).sum(-1).clamp(-1, 1) * 0.999)
