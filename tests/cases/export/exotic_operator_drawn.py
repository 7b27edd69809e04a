# profile: onnx onnx-legacy@17
import torch
from torch import nn


class Noisy(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(8, 8, 3)

    def forward(self, x):
        b, c, h, w = x.shape
        noise = x.new_empty(b, 1, h, w).normal_()  # hit
        more = torch.normal(0.0, 1.0, size=(b, 1, h, w))  # hit
        flat = torch.empty_like(x).uniform_(0, 1)  # hit
        likely = torch.empty_like(x).bernoulli_(0.5), torch.randn_like(x), torch.rand(b, 1, h, w)
        spread = torch.normal(torch.zeros_like(x), torch.ones_like(x))
        code = torch.empty(b, 8).normal_()
        return self.conv(x + noise + more + flat), likely, spread, code
