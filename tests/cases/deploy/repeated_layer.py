import torch
from torch import nn
from torch.nn import ModuleList


class Block(nn.Module):
    def __init__(self, wide):
        super().__init__()
        self.body = nn.Linear(wide, wide)

    def forward(self, x):
        return self.body(x)


class Deep(nn.Module):
    def __init__(self, wide, many):
        super().__init__()
        self.blocks = nn.ModuleList([Block(wide)] * many)  # hit
        self.norms = ModuleList(3 * [nn.LayerNorm(wide)])  # hit
        self.acts = nn.ModuleList([nn.ReLU()] * many)
        self.own = nn.ModuleList([Block(wide) for _ in range(many)])
        self.sizes = [wide] * many
        one = Block(wide)
        self.shared = nn.ModuleList([one] * many)
        self.mixed = nn.Sequential(*[nn.Linear(wide, wide), nn.ReLU()] * 2)  # hit

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return torch.relu(x)


def once():
    return nn.ModuleList([nn.Linear(2, 2)] * 1)
