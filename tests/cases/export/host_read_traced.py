# profile: onnx-legacy@17 torchscript-trace
import torch
import torchvision
from torch import nn


def whole_number(x):
    return x.to(torch.int64) if torch.jit.is_tracing() and isinstance(x, torch.Tensor) else int(x)


def scale_number(scale):
    if torchvision._is_tracing():
        return torch.full((1,), float(0)) + scale
    return scale.item()


class AsksTracing(nn.Module):
    def forward(self, x):
        if torch.jit.is_tracing():
            low = x.min()
        else:
            low = x.min().item()
        top = x.max().item()  # hit
        return x * whole_number(x.max()) + low + top


class Lengths(nn.Module):
    """How long each sequence is, read as a list."""

    def __init__(self):
        super().__init__()
        self.full = nn.Linear(4, 4)

    def forward(self, x, lengths, counts):
        y = self.full(x)
        means = [y[i, :n].mean(0) for i, n in enumerate(lengths.tolist())]  # hit
        cuts = counts.tolist()  # hit
        return torch.stack(means), y[: cuts[0]], torch.split(y, cuts)
