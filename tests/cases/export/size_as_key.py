# profile: torch.export
import functools

import torch
from torch import nn

TABLES = {7: 1, 14: 2}


class Kept(nn.Module):
    def __init__(self):
        super().__init__()
        self.masks = {}
        self.grids = dict()

    def mask(self, length):
        found = self.masks.get("all")
        if length not in self.masks:
            self.masks[length] = torch.arange(length)  # hit
        return self.masks[length] if found is None else found

    def grid(self, x):
        key = x.shape[-2:]
        height, width = key
        self.grids[height, width] = torch.arange(height)  # hit
        return self.grids[(height, width)]

    def forward(self, x):
        return x * self.mask(x.size(2))[:, None] + self.grid(x)[:, None]


class Looked(nn.Module):
    def __init__(self):
        super().__init__()
        self.scales = {64: 1.0, 128: 2.0}
        self.conv = nn.Conv2d(3, 3, 1)

    def forward(self, image):
        x = self.conv(image)
        return x * self.scales[x.shape[3]]  # hit


class Others(nn.Module):
    def __init__(self):
        super().__init__()
        self.kept = {}
        self.names = {"a": 1}

    def forward(self, x):
        self.kept[str(x.shape[2])] = torch.arange(x.shape[2])
        outputs = {"out": x * TABLES[7]}
        outputs["rank"] = x.dim()
        sizes = [0] * 4
        sizes[0] = x.shape[2]
        return outputs["out"] * self.names["a"] * self.kept[str(x.shape[2])][:, None]


class Lazy(nn.Module):
    """Weights are made for one size."""

    def __init__(self):
        super().__init__()
        self.weights = {}

    def forward(self, image):
        if image.shape[3] not in self.weights:
            self.weights[image.shape[3]] = nn.Parameter(torch.zeros(image.shape[3]))
        return image + self.weights[image.shape[3]]


@functools.lru_cache(maxsize=None)
def make_grid(h, w):
    return torch.arange(h)[:, None] + torch.arange(w)


class Gridded(nn.Module):
    def __init__(self):
        super().__init__()
        self.side = 7
        self.conv = nn.Conv2d(3, 1, 1)

    def forward(self, image):
        y = self.conv(image)
        grid = make_grid(y.shape[2], y.shape[3])  # hit
        return y + grid, make_grid(self.side, self.side)


class Listed(nn.Module):
    def __init__(self):
        super().__init__()
        self.scales = [1.0] * 256
        self.conv = nn.Conv2d(3, 3, 1)

    def forward(self, image):
        x = self.conv(image)
        steps = [x, x * 2, x * 3]
        return x * self.scales[x.shape[3]] + steps[x.shape[1] - 1] + steps[-1]  # hit


class Chosen(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(8, 8) for _ in range(3))
        self.rates = [1.0, 2.0, 3.0]

    def forward(self, x):
        batch, length, channels = x.shape
        x = self.layers[0](x)
        x = self.layers[length % 3](x)  # hit
        x = self.layers[channels % 3](x)
        return x * self.rates[length // 8]  # hit


class BySetting(nn.Module):
    def __init__(self, side, channels):
        super().__init__()
        self.side = side
        self.conv = nn.Conv2d(channels, 8, 3, padding=1)
        self.channels = channels

    def forward(self, x):
        x = x.view(-1, self.channels, self.side, self.side)
        kept = {}
        kept[x.shape[-1]] = x
        x = self.conv(x)
        return kept, x
