import torch
from torch import nn


class Grids(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 2, 1)
        self.grid = None
        self.other = torch.zeros(1)
        self.made_for = None
        self.scale = None
        self.register_buffer("mask", None, persistent=False)

    def forward(self, x):
        y = self.conv(x)
        height, width = y.shape[-2:]
        if self.grid is None:
            self.grid = make_grid(height, width)  # hit
        if self.other.shape != y.shape:
            self.other = torch.ones(height, width)  # hit
        if self.made_for != height:
            self.made_for = height
            self.rows = torch.arange(height)  # hit
        if not hasattr(self, "columns"):
            self.columns = torch.arange(width)  # hit
        if self.scale is None:
            self.scale = torch.ones(2)
        return y + self.grid + self.other + self.rows[:, None] + self.columns + self.lower(y)

    def lower(self, y):
        if self.mask is not None and self.mask.shape[-1] >= y.shape[-1]:
            return self.mask[: y.shape[-2], : y.shape[-1]]
        mask = torch.ones(y.shape[-2:]).tril()
        self.register_buffer("mask", mask, persistent=False)  # hit
        return mask


def make_grid(height, width):
    return torch.stack(torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij"))


class Levels(nn.Module):
    def __init__(self, levels=2):
        super().__init__()
        self.levels = levels
        self.grids = [torch.zeros(1)] * levels
        self.masks = {}
        self.convs = nn.ModuleList(nn.Conv2d(4, 2, 1) for _ in range(levels))

    def forward(self, maps):
        found = []
        for i in range(self.levels):
            y = self.convs[i](maps[i])
            _, _, height, width = y.shape
            if self.grids[i].shape[-2:] != y.shape[-2:]:
                self.grids[i] = make_grid(height, width)  # hit
            key = f"{height}x{width}"
            if key not in self.masks:
                self.masks[key] = torch.ones(height, width)
            found.append(y + self.grids[i] * self.masks[key])
        return found


class Fresh(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 2, 1)
        self.grid = None
        self.attention = None
        self.drawn = None
        self.mean = None
        self.table = torch.zeros(1, 2, 8, 8)

    def forward(self, x):
        y = self.conv(x)
        if self.mean is None:
            self.mean = y.mean((0, 2))
        if self.table.device != y.device:
            self.table = self.table[:, :, : y.shape[2]].to(y.device)
        self.grid = make_grid(*y.shape[-2:])
        if self.training and self.drawn is None:
            self.drawn = torch.ones(y.shape[-2:])
        if y.requires_grad:
            self.attention = y.sigmoid()
        return y + self.grid


class Table(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.zeros(1, 16, 8)

    def grow(self, x):
        if self.table.size(1) >= x.size(1):
            return
        self.table = torch.zeros(1, x.size(1), 8)  # hit

    def forward(self, x):
        self.grow(x)
        return x + self.table[:, : x.size(1)]


class Stream(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(4, 4, 3)
        self.lstm = nn.LSTM(4, 4)
        self.fc = nn.Linear(4, 4)
        self.register_buffer("left", torch.zeros(1, 4, 2))
        self.register_buffer("bank", torch.zeros(8, 4))
        self.register_buffer("first", torch.zeros(8, 4))
        self.state = (torch.zeros(1, 1, 4), torch.zeros(1, 1, 4))
        self.next = 0

    def forward(self, x):
        x = torch.cat([self.left, x], 2)
        self.left = x[:, :, -2:]  # hit
        y, self.state = self.lstm(self.conv(x).permute(2, 0, 1), self.state)  # hit
        z = self.fc(y)
        self.bank[self.next] = z[0, 0]  # hit
        self.first[0] = z[0, 0]
        self.next = (self.next + 1) % 8  # hit
        return z @ self.bank.t() + self.first[0].sum()


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.weights = None
        self.query = nn.Conv1d(8, 8, 1)

    def forward(self, x):
        q = self.query(x)
        x, self.weights = self.attend(q, x)
        return x

    def attend(self, q, x):
        weights = (q.transpose(1, 2) @ x).softmax(-1)
        return x @ weights, weights


class Layers(nn.Module):
    def __init__(self, depth=6):
        super().__init__()
        self.layers = nn.ModuleList(Attention() for _ in range(depth))

    def forward(self, x):
        for layer in self.layers:
            x = x + layer(x)
        return x


class LazyWeights(nn.Module):
    """Weights that the first call makes, for as many features as it has."""

    def __init__(self):
        super().__init__()
        self.weights = {}

    def get_weights(self, shape):
        if shape not in self.weights:
            self.weights[shape] = nn.Parameter(torch.empty(*shape))
        return self.weights[shape]

    def forward(self, x):
        return x @ self.get_weights((x.shape[2], 4))


class Hidden(nn.Module):
    """Who holds it begins it anew in each forward."""

    def __init__(self):
        super().__init__()
        self.mix = nn.Conv2d(16, 8, 1)
        self.fresh = True
        self.last = None

    def reset(self):
        self.fresh = True

    def forward(self, x):
        if self.fresh:
            self.last = torch.zeros(x.size(), device=x.device)
            self.fresh = False
        self.last = self.mix(torch.cat((x, self.last), 1))
        return self.last


class Feedback(nn.Module):
    def __init__(self, steps=3):
        super().__init__()
        self.steps = steps
        self.hidden = Hidden()

    def forward(self, x):
        self.hidden.reset()
        outs = [self.hidden(x) for _ in range(self.steps)]
        return torch.stack(outs).mean(0)
