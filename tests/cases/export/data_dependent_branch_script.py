import torch
from torch import nn


class Block(torch.jit.ScriptModule):
    def __init__(self, p):
        super().__init__()
        self.p = p
        self.conv = nn.Conv2d(3, 3, 1)

    def survives(self):
        drawn = torch.bernoulli(torch.tensor(self.p).float())
        return torch.equal(drawn, torch.tensor(1).float().to(drawn.device))

    @torch.jit.script_method
    def forward(self, x):
        if self.training:
            if self.survives():
                return self.conv(x)
        return self.conv(x) / 2


class Net(nn.Module):
    def __init__(self, block=Block):
        super().__init__()
        self.block = block(0.5)

    def forward(self, x):
        x = self.block(x)
        return x if x.sum() > 0 else -x  # hit
