# profile: torch.export
import torch
from torch import nn


class Rows(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(6, 6, 1)

    def forward(self, signal):
        x = self.conv(signal).transpose(1, 2)
        total = 0
        parts = x.chunk(x.size(1), dim=1)  # hit
        singles = torch.split(x, 1, dim=1)  # hit
        same = torch.tensor_split(x, x.shape[1], dim=1)  # hit
        for part in x.chunk(x.size(1), dim=1):
            total = total + part.sum()
        first, *rest = x.unbind(1)  # hit
        last = x.unbind(1)[-1]  # hit
        loop = [row for row in x.unbind(1)]
        zero, one, *more = x.unbind(2)
        heads = x.chunk(x.size(2), dim=2)
        channels = x.split(1, dim=2)
        return parts[0], singles[0], same[0], heads[0], channels[0], total, first, rest, last, loop, zero, one, more
