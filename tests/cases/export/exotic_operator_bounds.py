# profile: onnx
import torch
from torch import nn


class Bounds(nn.Module):
    def __init__(self, least=0, most=0.9):
        super().__init__()
        self.least, self.most = least, most
        self.rate = 16000

    def forward(self, x):
        a = x.clamp(0, 0.9)  # hit
        b = torch.clamp(x, min=-1, max=1.5)  # hit
        c = torch.clip(x, self.least, self.rate / 2)  # hit
        d = (x * 2).clamp_(0.0, 8)  # hit
        e = x.clamp(0.0, x.shape[-1] - 1)  # hit
        f = x.clamp(0, float("inf"))  # hit
        g = x.clamp(0, 1) + x.clamp(0.0, 1.0) + x.clamp(min=0) + x.clamp(max=0.9)
        h = x.clamp(torch.tensor(0), torch.tensor(0.9)) + x.clamp(0, x.shape[-1] - 1)
        i = x.clamp_min(0).clamp_max(0.9) + nn.functional.hardtanh(x, 0, 0.9)
        return a + b + c + d + e + f + g + h + i


class Trains(nn.Module):
    def forward(self, x):
        if self.training:
            x = x.clamp(0, 0.9)
        return x


def loss(x):
    return -x.clamp(1e-7, 1).log()
