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


def set_by_items(a, b):
    dots = (a * b).sum(-1)
    dots[dots > 1] = 1
    return torch.acos(dots)


def drawn_in(a, b, eps=1e-6):
    dots = (a * b).sum(-1)
    cosine = 0.9999 * F.cosine_similarity(a, b)
    return torch.acos(dots * (1 - 1e-6)) + torch.acos((1.0 - eps) * dots) + torch.acos(cosine)


def less(a, b):
    dots = (a * b).sum(-1)
    return torch.acos(dots - 1e-6), torch.acos((dots - 1) * 0.5)  # hit


def picked(a, b):
    dots = (a * b).sum(-1)
    inside = dots.abs() < 0.999
    angle = torch.zeros_like(dots)
    angle[inside] = torch.acos(dots[inside])
    return angle, torch.acos(dots[0])  # hit


def counted(a, b):
    return torch.acos((a > b).sum() / a.numel())


def shortened(one: torch.Tensor, two: torch.Tensor):
    first = one / (torch.norm(one, dim=-1) + 1e-5).unsqueeze(-1)
    second = two / (torch.norm(two, dim=-1) + 1e-5).unsqueeze(-1)
    return torch.acos(first @ second.T), torch.acos((one / torch.norm(one, dim=-1)) @ two.T)  # hit


def set_by_items(first, second):
    cosines = torch.bmm(first, second).sum(-1)
    cosines[cosines > 1] = 1
    cosines[cosines < -1] = -1
    return cosines.acos() * 2


def unset(first, second):
    cosines = torch.bmm(first, second).sum(-1)
    return cosines.acos() * 2  # hit
