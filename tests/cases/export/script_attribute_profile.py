# profile: torchscript-script
from torch import nn


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

    def forward(self, x):
        return self.second(self.first(self.attention(x)))
