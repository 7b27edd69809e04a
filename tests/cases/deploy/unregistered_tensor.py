import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self, n, device):
        super().__init__()
        self.kernel = torch.ones(1, 1, 3, 3)  # hit
        self.mask = torch.tril(torch.ones(n, n)).view(1, n, n)  # hit
        self.mean = torch.tensor([0.5, 0.4, 0.3]).view(3, 1, 1)  # hit
        self.noise = torch.randn(n)  # hit
        self.window = torch.from_numpy(np.hanning(n))  # hit
        self.scalar = torch.tensor(0.5)
        self.index = torch.arange(n)
        self.moved = torch.ones(n)
        self.placed = torch.ones(n, device=device)
        self.own = torch.ones(n).cuda()
        self.shape = torch.zeros(n, n)
        self.reset = torch.zeros(n)
        self.unused = torch.zeros(n)
        self.register_buffer("buffer", torch.ones(n))
        self.weight = nn.Parameter(torch.ones(n))
        self.number = n

    def forward(self, x: torch.Tensor):
        self.reset = x.mean(0)
        x = F.conv2d(x, self.kernel)
        x = x - self.mean
        x = torch.matmul(x, self.window)
        x = x * self.mask[:, :3] + self.noise * x
        x = x * self.scalar * self.reset * self.own * self.placed
        x = x[:, self.index] * self.moved.to(x.device)
        return x.view(self.shape.shape) * self.buffer * self.weight * self.number

    def extra(self, x):
        return x * self.unused


class Trainer:
    def __init__(self):
        self.mask = torch.ones(3)

    def forward(self, x):
        return F.relu(x) * self.mask


class Applies(nn.Module):
    def __init__(self):
        super().__init__()
        self.mask = torch.ones(3)

    def _apply(self, fn):
        self.mask = fn(self.mask)
        return super()._apply(fn)

    def forward(self, x):
        return x * self.mask


def parameters(n):
    yield nn.Parameter(torch.arange(4))  # hit
    yield nn.Parameter(torch.tensor([1, 2]))  # hit
    yield nn.Parameter(torch.zeros(4, dtype=torch.long))  # hit
    yield nn.Parameter(torch.zeros(4, dtype=torch.long), requires_grad=False)
    yield nn.Parameter(torch.arange(4.0))
    yield nn.Parameter(torch.arange(n))
    yield nn.Parameter(torch.arange(4, dtype=torch.float32))
    yield nn.Parameter(torch.tensor([1, 2.0]))
    yield nn.Parameter(torch.arange(4).float())


def make_window(settings):
    return torch.hann_window(settings["length"])


class Framed(nn.Module):
    settings = {"length": 8}

    def __init__(self):
        super().__init__()
        self.prepare()

    def prepare(self):
        match self.settings:
            case _:
                self.window = make_window(self.settings)  # hit
                self.index = torch.arange(self.settings["length"])


class Windowed(Framed):
    def weigh(self, x, by):
        return x * by

    def forward(self, x):
        return self.weigh(x, self.window)[:, self.index]


class Drawn(nn.Module):
    """What meets tensors on the CPU alone may stay there."""

    def __init__(self):
        super().__init__()
        self.ratio = torch.log(torch.tensor([0.3, 3.3]))
        self.bounds = torch.tensor([0.1, 0.9])

    def forward(self, x):
        share = torch.empty(2).uniform_(self.bounds[0], self.bounds[1]) * self.bounds
        return x * share.tolist()[0]


class Hidden(nn.Module):
    def __init__(self):
        super().__init__()
        self.__strides = torch.FloatTensor([8, 16, 32])
        self.__anchors = torch.FloatTensor([[1, 2], [3, 4]])  # hit
        self.stride = self.__strides[0]
        self.body = nn.Linear(2, 2)

    def forward(self, x):
        return self.body(x) * self.stride + self.__anchors
