import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


def direct(x, y):
    xx = x.pow(2).sum(1).view(-1, 1)
    yy = y.pow(2).sum(1).view(1, -1)
    product = torch.mm(x, y.t())
    one = torch.sqrt(xx + yy - 2 * product)  # hit
    two = (xx - 2.0 * product + yy).sqrt()  # hit
    three = (-2 * torch.matmul(x, y.t()) + xx + yy) ** 0.5  # hit
    four = torch.sqrt((xx + yy - 2 * product).clamp(min=1e-12))
    five = torch.sqrt(xx + yy - 2 * product + 1e-6)
    six = torch.sqrt(xx + yy)
    seven = torch.sqrt(xx**2 - 4 * yy)
    return one, two, three, four, five, six, seven


class Triplet(nn.Module):
    def forward(self, e):
        e = F.normalize(e)
        return torch.sqrt(2 - 2 * e @ e.T).mean()  # hit


def lifted(x, y):
    squares = (x**2).sum(1, keepdim=True) + (y**2).sum(1) - 2 * x @ y.t()
    squares.clamp_(min=0)
    others = (x**2).sum(1, keepdim=True) + (y**2).sum(1) - 2 * x @ y.t()
    others[others < 0] = 0
    again = (x**2).sum(1, keepdim=True) + (y**2).sum(1) - 2 * x @ y.t()
    again = F.relu(again)
    return torch.sqrt(squares), torch.sqrt(others), torch.sqrt(again)


def of_arrays(x, y):
    return np.sqrt((x**2).sum(1)[:, None] + (y**2).sum(1) - 2 * x @ y.T)
