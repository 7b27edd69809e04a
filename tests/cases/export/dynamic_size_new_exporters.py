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
