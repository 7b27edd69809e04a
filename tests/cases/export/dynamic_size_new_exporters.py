# profile: torch.export onnx
import torch
import torch.nn.functional as F
from torch import nn


class Right(nn.Module):
    """What only tracers bake is no hazard where none is used."""

    def forward(self, x, y):
        b, c, h, w = x.size()
        a = y.view(torch.tensor(b).item(), -1), torch.tensor([h, w])
        d = y.view(x.data.size(0), -1), F.pad(x, [0, max(h, w) - w])
        e = y.view(int(b), -1)  # hit
        return a, d, e


class Counted(nn.Module):
    def forward(self, x):
        """A tensor of as many items, which the new exporters count anew."""
        ends = torch.LongTensor(x.size(0)).fill_(x.size(1))
        both = torch.LongTensor([x.size(0), x.size(1)])  # hit
        return ends.sum() + both.sum() + x
