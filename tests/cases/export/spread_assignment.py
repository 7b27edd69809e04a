# profile: torchscript-trace onnx-legacy
import torch
from torch import nn


class Marked(nn.Module):
    def __init__(self):
        super().__init__()
        self.token = nn.Parameter(torch.zeros(8))
        self.scale = nn.Parameter(torch.zeros(()))

    def forward(self, x: torch.Tensor, keep: torch.Tensor):
        n, steps, seen = x.shape
        y = torch.zeros(n, steps, 8)
        y[:, 0] = self.token  # hit
        y[:] = y.mean(0)  # hit
        y[:, 1:3] = y.mean(0)[1:3]  # hit
        y[..., 2:4] = y.mean(-1, keepdim=True)  # hit
        y[:, 1] = self.token.expand_as(y[:, 1])
        y[:, 0] = y[:, 1] * 2
        y[:, 0] = self.scale
        y[:, 0] = 1.0
        y[:2, 0] = self.token
        y[0] = y[1]
        y[:, 0] += self.token
        y[0, 0] = self.token
        mask = torch.ones(n, dtype=torch.bool)
        y[mask] = y.mean(0)  # hit
        y[torch.arange(n), 0] = self.token  # hit
        y[torch.arange(n), 0] = y[:, 1]
        y[y > 0] = 0.0
        return y
