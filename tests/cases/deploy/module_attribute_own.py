import torch
from torch import nn


class Positions(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.emb = nn.Embedding(512, d)
        self.register_buffer("scale", torch.ones(1))

    def forward(self, x):
        p = torch.arange(x.size(1), device=self.device)  # hit
        return x + self.emb(p).to(dtype=self.scale.dtype)


class Base(nn.Module):
    def forward(self, x):
        return x.to(self.device)


class Placed(Base):
    device = "cpu"
