import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.norm = nn.BatchNorm2d(8)
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.xavier_uniform_(p)
            else:
                nn.init.zeros_(p)  # hit
        for name, p in self.named_parameters():
            if p.ndim == 1:
                p.data.fill_(0)  # hit
        for name, p in self.named_parameters():
            if "bias" in name:
                nn.init.zeros_(p)
            elif p.dim() > 1:
                nn.init.constant_(p, 0)
        nn.init.zeros_(self.norm.weight)

    def forward(self, x):
        return self.norm(self.conv(x))


def begin(model: nn.Module):
    for p in model.parameters():
        if p.dim() == 1:
            p.data.zero_()
    for m in model.modules():
        if isinstance(m, (nn.Embedding, nn.LayerNorm)):
            m.reset_parameters()
