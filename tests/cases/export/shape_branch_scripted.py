# profile: onnx-legacy torchscript-trace
import torch
from torch import nn


@torch.jit.script
def double(x):
    if x.size(2) > 4:
        return x * 2
    return x


def double_in_python(x):
    if x.size(2) > 4:  # hit
        return x * 2
    return x


class Net(nn.Module):
    def forward(self, x):
        return double(x) + double_in_python(x)


class AlwaysResizedInTraces(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.randn(1, 3, 8, 8))

    def forward(self, x):
        h, w = x.shape[2:]
        if torch.jit.is_tracing() or (h != 8 or w != 8):
            return x + nn.functional.interpolate(self.table, (h, w))
        return x + self.table


class NeverResizedInTraces(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.randn(1, 3, 8, 8))

    def forward(self, x):
        h, w = x.shape[2:]
        grown = nn.functional.interpolate(self.table, (h, w))
        if not (torch.jit.is_tracing() or (h == 8 and w == 8)):
            return x + grown
        return x - grown if h == 8 else x + grown  # hit
