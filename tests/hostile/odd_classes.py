"""Classes that raise when they are looked at, and one that is as others are."""

from torch import nn


class Raising(type):
    def __getattribute__(cls, name):
        raise RuntimeError("do not look at me")


class Unlooked(nn.Module, metaclass=Raising):  # LT006 RuntimeError: do not look at me
    def forward(self, x):
        return x


class Incomparable(type):
    def __eq__(cls, other):
        raise RuntimeError("do not compare me")

    def __hash__(cls):
        raise RuntimeError("do not keep me")


class Unkept(nn.Module, metaclass=Incomparable):  # LT006 RuntimeError: do not compare me
    def forward(self, x):
        return x


class Unsigned(nn.Module):
    __signature__ = property(lambda self: 1 / 0)

    def forward(self, x):
        return x


class Nowhere(nn.Module):
    __module__ = 7

    def forward(self, x):
        return x


class Disguised(list):
    @property
    def __class__(self):
        raise RuntimeError("no class")

    def __len__(self):
        raise RuntimeError("no length")


disguised = Disguised()


class Plain(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)

    def forward(self, x):
        count = int(x.shape[0])  # LT101
        return self.conv(x).view(count, -1)
