import torch
from torch import nn


class Basis(nn.Module):
    def __init__(self):
        super().__init__()
        self.parameters = nn.ParameterList([nn.Parameter(torch.ones(3))])  # hit
        self.to = nn.Linear(4, 4)  # hit
        self.depth = nn.Linear(4, 4)
        self.training = True
        self.type = "seasonal"
        self.forward_net = nn.Linear(4, 4)

    def forward(self, x):
        return self.depth(x)


class Normed(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(4)  # hit
        self.scale = nn.Linear(4, 4)

    def norm(self, x):
        return x * 2

    @property
    def scale(self):
        return self._modules["scale"]

    def forward(self, x):
        return self.scale(self.norm(x))


class Parted(Normed):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 4))
        self.children = nn.ModuleList([nn.Linear(4, 4)])  # hit


class Handed(nn.Module):
    def __init__(self):
        super().__init__()
        self.children = nn.ModuleList([nn.Linear(4, 4)])

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)

    def forward(self, x):
        return x


class Headed(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(3, 3)


class Headless(Headed):
    """The layer is taken away again, so that the method is found."""

    def __init__(self):
        super().__init__()
        delattr(self, "head")

    def head(self, x):
        return x * 2

    def forward(self, x):
        return self.head(x)


class Listed(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Linear(4, 4)
        self.modules = [self.stem]
        self.named_modules = {"stem": self.stem}  # hit

    def forward(self, x):
        return self.stem(x)
