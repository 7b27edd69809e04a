# profile: onnx-legacy@17
import torch
from torch import nn


class Turned(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.place = nn.Parameter(torch.rand(1, 4, 4, 8))

    def forward(self, x):
        x = self.conv(x)
        rows = torch.arange(2)
        a = x.permute(0, -1, 1, 2)  # hit
        b = torch.permute(x, (0, 2, -1, 1))  # hit
        c = x.movedim(-1, 1) + torch.moveaxis(x, (-1, 2), (1, 2))  # hit
        d = x.movedim(1, -1) + x.transpose(-1, 1) + x.swapaxes(-1, -2)
        e = x.index_add(-3, rows, x[:, :2])  # hit
        f = x.index_add(1, rows, x[:, :2])
        x.clone().index_add_(-2, rows, x[:, :, :2])  # hit
        x.clone().index_add_(1, rows, x[:, :2])
        g = x.permute(0, 3, 1, 2) + self.place.permute(0, -1, 1, 2)
        order = (0, -1, 1, 2)
        return a, b, c, d, e, f, g, x.permute(*order)  # hit
