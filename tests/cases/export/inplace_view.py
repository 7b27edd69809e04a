import torch
import torch.nn.functional as F
from torch import nn


class Hidden(nn.Module):
    def forward(self, x):
        y = x * 2
        y.data[:, 0] = 0  # hit
        y.data.mul_(3)  # hit
        d = y.data
        d[0] += 1  # hit
        y.diagonal(dim1=1, dim2=2).fill_(1)  # hit
        torch.diagonal(y, dim1=1, dim2=2)[:] = 1  # hit
        y.data.set_()
        y.data = y * 3  # hit
        x.data = y  # hit
        y[:, 0] = 0
        y[:, 1].add_(1)
        v = y[:, 0]
        v += 1
        if self.training:
            y.data.clamp_(0, 1)
        if not self.initialized:
            y.data.clamp_(0, 1)
        z = y.diagonal(dim1=1, dim2=2) + 1
        return y + z.sum()

    def init(self):
        self.weight.data.fill_(1)

    @torch.no_grad()
    def reset_parameters(self):
        nn.init.zeros_(self.lin.weight.data[0])


class Tables(nn.Module):
    def forward(self, x):
        sizes = {"data": 1}
        sizes["data"] += 1
        self.data = x
        return self.data
