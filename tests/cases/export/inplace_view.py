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


def erase(t, start=0):
    t.data[:, start] = 0  # hit


class Base(nn.Module):
    def scale_raw(self, x):
        raw = x.data
        raw /= 2  # hit
        return x


class Spelled(Base):
    def __init__(self):
        super().__init__()
        self.options = {"dim1": 1, "dim2": 2}
        self.lin = nn.Linear(3, 3)

    def forward(self, x):
        y = self.lin(x)
        erase(y)
        y = self.scale_raw(y)
        F.relu(y.data, inplace=True)  # hit
        line = torch.diagonal(y, **self.options)
        line += 1  # hit
        line.zero_()  # hit
        for part in (y, x):
            part.data.clamp_(0, 1)  # hit
        torch.mul(y, 2, out=y.data)  # hit
        kept = y.data
        kept = kept * 2
        kept += 1
        own = y.diagonal(dim1=1, dim2=2).clone()
        own += 1
        return y + kept + own.sum()


class Masked(nn.Conv2d):
    def __init__(self, width, size):
        super().__init__(width, width, size)
        self.register_buffer("mask", torch.ones_like(self.weight))

    def forward(self, x):
        self.weight.data = self.weight.data * self.mask  # hit
        return super().forward(x)


class Pruned(nn.Conv2d):
    def __init__(self):
        super().__init__(1, 1, 3)
        self.register_buffer("mask", torch.ones(1, 1, 3, 3))

    def forward(self, x):
        self.weight.data *= self.mask  # hit
        return super().forward(x)


class Prepared(nn.Module):
    """What the first batch of training sets."""

    def __init__(self, wide):
        super().__init__()
        self.log_scale = nn.Parameter(torch.zeros(wide))
        self.shift = nn.Parameter(torch.zeros(wide))
        self.register_buffer("seen", torch.tensor(False))
        self.register_buffer("known", torch.tensor(0))
        self.ready = False

    def fit(self, x):
        if self.seen:
            return
        self.log_scale.data.copy_(-x.std(0).log())
        self.seen.data.copy_(torch.tensor(True))

    def forward(self, x):
        self.fit(x)
        if not self.known:
            self.shift.data.copy_(x.mean(0))
            self.known.fill_(1)
        if not self.ready:
            self.shift.data.add_(x.mean(0))
            self.ready = True
        if not self.strict:
            self.shift.data.add_(x.mean(0))  # hit
        return x * self.log_scale.exp() + self.shift


class FirstBatch(nn.Module):
    def __init__(self, asks=True):
        super().__init__()
        self.asks, self.done = asks, False
        self.bias = nn.Parameter(torch.zeros(4))

    def forward(self, x):
        if self.asks and not self.done:
            self.bias.data = -x.mean(0)
            self.done = True
        return x + self.bias
