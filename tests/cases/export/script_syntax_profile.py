# profile: torchscript-script
import torch
from einops import rearrange
from torch import nn
from torch.utils.checkpoint import checkpoint


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.relu = nn.ReLU()

    def forward(self, x, *, scale=1.0):  # hit
        return self.relu(self.head(x))

    def head(self, x, n=1):  # hit
        return x * n

    def save(self, path, **options):
        with open(path) as file:
            return file.read(*options)


class DistanceLoss(nn.Module):
    def forward(self, x, target, **options):
        return (x - target).abs()


def save(*args):
    yield args


class Attention(nn.Module):
    def __init__(self, width, ratio=1, gated=True):
        super().__init__()
        self.query = nn.Linear(width, width)
        self.ratio = ratio
        if ratio > 1:
            self.reduce = nn.Linear(width, width)
            self.norm = nn.LayerNorm(width)
        if gated:
            self.gate = nn.Linear(width, width)
        if ratio > 2:
            self.act = nn.ReLU()
        else:
            self.act = nn.GELU()
        if ratio > 3:
            self.extra = nn.ReLU()

    def forward(self, x):
        if self.ratio > 1:
            x = self.reduce(x)  # hit
            x = self.norm(x)  # hit
        if hasattr(self, "extra"):
            x = self.extra(x)
        return self.act(self.gate(self.query(x)))


class Blocks(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = Attention(8)
        self.first = Attention(8, ratio=2)
        self.second = Attention(8, ratio=3)
        self.up = nn.ModuleList([nn.Linear(8, 8), nn.Linear(8, 8)])
        self.block1 = nn.ReLU()

    def forward(self, x):
        kept = [x, x * 2]
        for up, skip in zip(self.up, kept[::-1]):  # hit
            x = up(x) + skip
        for up in self.up[1:]:
            x = up(x)
        for index in range(1):
            x = getattr(self, f"block{index + 1}")(x)  # hit
        x = getattr(self, "block1")(x)
        x = nn.ReLU()(x)  # hit
        x = rearrange(x, "b n c -> b c n")  # hit
        return checkpoint(self.attention, x)  # hit
