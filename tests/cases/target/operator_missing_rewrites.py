# profile: onnx-legacy@13 # target: tensorrt-8.0
import torch
import torch.nn.functional as F
from torch import nn


class Quantized(nn.Module):
    def forward(self, x):
        y = x * 127
        return torch.round(y)  # hit


class Rounded(nn.Module):
    def forward(self, x):
        return (x * 127 + 0.5).floor()


class Masked(nn.Module):
    def forward(self, x):
        return x.masked_fill(torch.isnan(x), 0)  # hit


class MaskedByItself(nn.Module):
    def forward(self, x):
        return x.masked_fill(x != x, 0)


class Classes(nn.Module):
    def forward(self, x):
        best = x.argmax(1)
        return F.one_hot(best, 10)  # hit


class ClassesByRange(nn.Module):
    def forward(self, x):
        best = x.argmax(1)
        return (best.unsqueeze(-1) == torch.arange(10, device=x.device)).long()


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(4))

    def forward(self, x):
        return torch.einsum("bchw,c->bchw", x, self.weight)  # hit
