# profile: onnx-legacy@17
import torch
from torch import nn


class Reckoned(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8)

    def forward(self, x, alpha=1.0, n=2, start: int = 0, flag=False, rounds=3, p=0.5, mode="a", k=1):
        x = self.linear(x)
        mixed = alpha * x + (1 - alpha)  # hit
        parts = x.view(-1, n, 4)  # hit
        rest = x[:, start:]  # hit
        for _ in range(rounds - 1):
            x = self.linear(x)
        if flag or mode == "b" or rounds > 2:
            x = x * 2
        k = x.shape[1] - 1
        last = x[:, k], x * float(p)
        return mixed, parts, rest, x, last


class Block(nn.Module):
    def forward(self, x, scale=1.0):
        return x * scale


class Stack(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()

    def forward(self, x, *, later=None):
        return self.block(x)


def shrink(x, by=2.0):
    return x / by


class Helped(nn.Module):
    def forward(self, x):
        return shrink(torch.relu(x))
