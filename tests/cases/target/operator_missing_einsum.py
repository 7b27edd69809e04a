# profile: onnx-legacy@13 # target: tensorrt-8.0
import torch
from torch import einsum, nn


class Scores(nn.Module):
    def forward(self, q, k):
        return torch.einsum("bhid,bhjd->bhij", q, k)  # hit


class Spaced(nn.Module):
    def forward(self, q, k):
        return einsum("b q h d, b k h d -> b h q k", [q, k])  # hit


class Weighted(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(4, 4))

    def forward(self, x):
        return torch.einsum("nctv,vw->nctw", x, self.weight)  # hit


class Multiplied(nn.Module):
    def forward(self, q, k):
        return torch.matmul(q, k.transpose(-1, -2))
