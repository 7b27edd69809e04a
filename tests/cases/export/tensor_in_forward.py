import torch
from torch import Tensor, nn


class OnCpu(nn.Module):
    def forward(self, x: Tensor, y: Tensor):
        x = x + torch.zeros(3)  # hit
        y = torch.arange(y.shape[1]) * y  # hit
        pos = torch.linspace(0, 1, 3)
        y = y * pos  # hit
        mask = torch.arange(3)[None] < y  # hit
        z = y - torch.tensor([1.0, 2.0, 3.0])  # hit
        n = y.view(-1, 3) + torch.ones(y.shape[0], 3)  # hit
        both = torch.tensor([x.max(), x.min()])  # hit
        one = torch.FloatTensor([y[0, 0]])  # hit
        return x, y, mask, z, n, both, one


class Harmless(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.ones(3)

    def forward(self, x: Tensor, y: Tensor, shape):
        x = x + torch.zeros(3, device=x.device) + torch.tensor(2.0) + torch.zeros(())
        x = x + torch.zeros_like(x) + torch.zeros(3).to(x.device) + torch.ones(3).type_as(x)
        x = x[torch.arange(3)] + x.new_zeros(3)
        pos = torch.arange(3)
        pos = pos.to(x.device)
        x = x + pos
        with torch.device(x.device):
            x = x + torch.zeros(3)
        x = x + torch.zeros(*shape) + torch.zeros(shape)
        if self.training:
            x = x + torch.randn(3)
        count = torch.ones(3) + torch.arange(3) + torch.tensor([x.shape[0], 1])
        count = count + torch.arange(3) * y.cpu()
        for i in range(3):
            count = count * torch.linspace(0, 1, 3) + i
        return x, count


def shifted(x: Tensor):
    return x + torch.zeros(3)


def make_grid(width, kind=torch.arange):
    return kind(width).view(1, -1)


class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(3))
        self.lin = nn.Linear(3, 3)

    def shift(self, x, noise):
        return x - noise  # hit


class Spelled(Base):
    def __init__(self, size=(3,)):
        super().__init__()
        self.size = size
        self.fixed = torch.ones(3)

    def forward(self, x, y):
        x = self.lin(x) * make_grid(3)  # hit
        x += torch.full(self.size, 0.5)  # hit
        x = self.shift(x, torch.rand(3))
        ones = torch.ones(size=(3,), dtype=x.dtype)
        weight = self.scale * ones  # hit
        kept = x.half() >= torch.zeros(3).half()  # hit
        y = y.sum(1)
        pair = torch.tensor((y.min(), y.max()))  # hit
        rows = torch.tensor([[y[0].mean(), 1.0], [0.0, 1.0]])  # hit
        return x, weight, kept, pair, rows


class Placed(Base):
    def forward(self, x, y, shape):
        options = {"device": x.device, "dtype": x.dtype}
        x = self.lin(x) + torch.zeros(3, **options) + torch.ones((), dtype=x.dtype)
        x = x + torch.arange(3).to(x) + torch.zeros(3).cuda() + torch.zeros(x.shape, device=x.device)
        x = x.sum() * torch.tensor(3.0) + make_grid(3).to(self.scale.device)
        y = y.detach().cpu() + torch.arange(3)
        steps = torch.linspace(0, 1, 3) * 2 + torch.zeros(3)
        sizes = torch.tensor([x.dim(), 3]) * torch.arange(2)
        counts = torch.tensor(shape) + torch.zeros(*x.shape[:0])
        return x[..., torch.arange(1)], y, steps, sizes, counts


class Diagonal(nn.Module):
    """Both are made on the CPU: of x the mask has its shape alone."""

    def forward(self, x):
        mask = torch.diag(torch.ones(x.size(1))).unsqueeze(0).expand_as(x)
        inverse = torch.ones(x.size(1), x.size(1)) - mask
        return inverse.to(x.device) * x + torch.ones(x.size(1), x.size(1)) * x.view_as(mask)  # hit


def take(x, device=None):
    if device:
        x = x.to(device)
    return x


class Taken(nn.Module):
    def __init__(self, device=None):
        super().__init__()
        self.device = device
        self.lstm = nn.LSTM(4, 4, batch_first=True)

    def forward(self, x):
        state = take(torch.zeros(1, x.size(0), 4), self.device)
        return self.lstm(x, (state, state))[0]
