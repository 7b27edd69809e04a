import abc

import torch
from torch import nn
from torch.utils.data import Dataset, Sampler


class Missing(nn.Module):
    """A head."""

    def __init__(self, n):  # hit
        """With n classes."""
        self.n = n

    def forward(self, x):
        return x


class Late(nn.Module):
    def __init__(self, n):
        self.n = n
        self.linear = nn.Linear(n, n)  # hit
        self.scale = nn.Parameter(torch.ones(n))  # hit
        super().__init__()
        self.last = nn.Linear(n, n)


class Derived(nn.Linear):
    def __init__(self, n):  # hit
        self.n = n


class Right(nn.Module):
    def __init__(self, n):
        self.n = n
        super(Right, self).__init__()
        self.linear = nn.Linear(n, n)


class Explicit(nn.Module):
    def __init__(self, n):
        nn.Module.__init__(self)
        self.linear = nn.Linear(n, n)


class Inherited(Right):
    def forward(self, x):
        return self.linear(x)


class Abstract(nn.Module, abc.ABC):
    def __init__(self):
        raise NotImplementedError


class Stub(nn.Module):
    def __init__(self, n): ...


class Copy(nn.Module):
    def __init__(self, other):
        self.__dict__ = other.__dict__


class Helper(nn.Module):
    def __init__(self, n):
        self.n = n
        self._start(n)

    def _start(self, n):
        super().__init__()


class Branched(nn.Module):
    def __init__(self, n):
        if n:
            super().__init__()
        self.n = n


class Numbers(Dataset):
    def __init__(self, n):
        self.n = n


class Order(Sampler):
    def __init__(self, data):
        super().__init__(data)  # hit
        self.data = data


class Typed(Sampler[int]):
    def __init__(self, data):
        super().__init__(data_source=data)  # hit
        self.data = data


class Bare(Sampler):
    def __init__(self, data):
        super().__init__()
        self.data = data


class Sampled(nn.Module):
    def __init__(self, n):
        self.n = n

    def sample(self):
        return self.n


class Plain:
    def __init__(self):
        self.layer = nn.Linear(1, 1)


class Nested(nn.Module):
    def __init__(self, n):  # hit
        with torch.device("cpu"):
            self.linear = nn.Linear(n, n)


class Prepared(nn.Module):
    def __init__(self, n):  # hit
        self.prepare(n)

    def prepare(self, n):
        match n:
            case _:
                self.linear = nn.Linear(n, n)


class Begun(nn.Module):
    def __init__(self, n):
        self.begin(n)

    def begin(self, n):
        self.start()
        self.linear = nn.Linear(n, n)

    def start(self):
        super().__init__()
