import itertools

import torch
from torch import nn


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.LSTMCell(6, 6)

    def forward(self, x):
        h = c = x.new_zeros(x.size(0), 6)
        for t in range(x.size(1)):  # hit
            h, c = self.cell(x[:, t], (h, c))
        return h


class Cells(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 3, 1)

    def forward(self, x):
        y = self.conv(x)
        h, w = y.shape[-2:]
        places = []
        for i, j in itertools.product(range(h), range(w)):  # hit
            places.append(i / h + j / w)
        for i, j in itertools.product(range(2), range(3)):
            places.append(float(i + j))
        for part in y.split(1, 2):  # hit
            places.append(part.mean())
        for part in y.split(1, 1):
            places.append(part.mean())
        return y.sum() + len(places)


class Columns(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(6, 2)

    def forward(self, x):
        total = self.out(x)
        for i in range(x.shape[1]):
            total = total + x[:, i : i + 1]
        return total


class Named(nn.Module):
    def __init__(self, encoder):
        super().__init__()
        self.encoder = encoder

    def forward(self, x):
        batch, seq_len, dim = x.shape
        total = x.new_zeros(batch, dim)
        for t in range(seq_len):  # hit
            total = total * 0.5 + x[:, t]
        return total


class Spoken(nn.Module):
    """Words are embedded one by one: places have two axes, batch and time."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(100, 8)
        self.cell = nn.LSTMCell(8, 8)

    def forward(self, ids, h, c):
        outs = []
        for i in range(ids.size(1)):  # hit
            h, c = self.cell(self.table(ids[:, i]), (h, c))
            outs.append(h)
        return torch.stack(outs, 1)


class Filmed(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)

    def forward(self, clip):
        maps = []
        for t in range(clip.size(1)):  # hit
            maps.append(self.conv(clip[:, t]))
        return torch.stack(maps, 1)


class Viewed(nn.Module):
    """Of views there may be as many as the model has heads for."""

    def __init__(self):
        super().__init__()
        self.line = nn.Linear(16, 8)

    def forward(self, x, h):
        for i in range(x.shape[1]):
            h = torch.tanh(self.line(torch.cat([x[:, i], h], 1)))
        return h
