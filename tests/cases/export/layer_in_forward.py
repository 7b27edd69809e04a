import torch
import torch.nn as nn
from torch.nn import Conv2d as Conv
from torch.nn import Parameter


class Made(nn.Module):
    def forward(self, x):
        x = Conv(3, 8, 3)(x)  # hit
        norm = nn.BatchNorm2d(8)  # hit
        x = norm(x)
        self.fc = nn.Linear(8, 8)  # hit
        scale = Parameter(torch.ones(8))  # hit
        x = nn.Sequential(nn.ReLU(), nn.Conv2d(8, 8, 1).to(x.device))(x)  # hit
        x = nn.LayerNorm(x.shape[1:])(x)  # hit
        x = nn.LayerNorm(x.shape[1:], elementwise_affine=False)(x)
        x = nn.InstanceNorm2d(8)(nn.ReLU(inplace=True)(x))
        x = nn.InstanceNorm2d(8, affine=True)(x)  # hit
        x = nn.BatchNorm2d(8, affine=False)(x)
        x = nn.GroupNorm(2, 8, *scale)(x)
        x = nn.AdaptiveAvgPool2d(1)(nn.Upsample(scale_factor=2)(x))
        return self.rest(x)

    def rest(self, x):
        return nn.GRUCell(8, 8)(x)  # hit


class Kept(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.head = None
        self.scale = nn.Parameter(torch.ones(8))

    def forward(self, x):
        if self.head is None:
            self.head = nn.Linear(8, 8)
        if not hasattr(self, "other"):
            self.other = self.make(x)
        blur = nn.Conv2d(3, 3, 3, bias=False)
        blur.weight = nn.Parameter(torch.ones(3, 3, 3, 3))
        return self.conv(x) * self.scale

    def make(self, x):
        return nn.Embedding(3, 4)

    def reset(self):
        self.conv = nn.Conv2d(3, 8, 3)


def forward(x):
    return nn.Linear(8, 8)(x)


class Linear:
    def forward(self, x):
        return nn.Linear(8, 8)(x)


class Base(nn.Module):
    def project(self, x, width):
        layer = nn.Linear(x.shape[-1], width)  # hit
        return layer(x)


class Spelled(Base):
    def __init__(self, kind=nn.LSTM, norm=nn.LayerNorm):
        super().__init__()
        self.kind = kind
        self.norm = norm
        self.sizes = {"in_features": 8, "out_features": 4}

    def forward(self, x):
        x = self.kind(8, 8)(x)[0]  # hit
        x = self.norm(normalized_shape=8)(x)  # hit
        x = nn.Linear(**self.sizes)(x)  # hit
        layers = [nn.Conv1d(4, 4, 1) for _ in range(2)]  # hit
        for layer in layers:
            x = layer(x)
        return self.project(x, 3) * nn.PReLU()(x)  # hit


class Caching(nn.Module):
    def __init__(self):
        super().__init__()
        self.cache = {}

    def forward(self, x):
        if x.shape[1] not in self.cache:
            self.cache[x.shape[1]] = nn.Linear(x.shape[1], 3)
        fixed = nn.Conv2d(1, 1, 3)
        nn.init.ones_(fixed.weight)
        copied = nn.Linear(3, 3)
        copied.load_state_dict(torch.load("weights.pt"))
        return nn.Flatten()(nn.ReLU()(fixed(x))) + copied(self.cache[x.shape[1]](x))


class Fixed(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.zeros(8)

    def forward(self, x):
        shift = nn.Parameter(torch.zeros(8))  # hit
        return x + nn.Parameter(self.table, requires_grad=False) + shift


class Standardised(nn.Module):
    def forward(self, x):
        norm = nn.BatchNorm1d(x.shape[1], track_running_stats=False)
        return norm(x)


def once(key):
    def keep(make):
        def kept(self, *given):
            if getattr(self, key) is None:
                setattr(self, key, make(self, *given))
            return getattr(self, key)

        return kept

    return keep


def head(width):
    return nn.Sequential(nn.Linear(width, 8), nn.ReLU())


def other_head(width):
    return nn.Sequential(nn.Linear(width, 8), nn.ReLU())  # hit


class Lazy(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = None

    @once("head")
    def make(self, x):
        return head(x.shape[1])

    @torch.no_grad()
    def make_anew(self, x):
        return other_head(4)

    def forward(self, x):
        return self.make(x)(x), self.make_anew(x)(x)
