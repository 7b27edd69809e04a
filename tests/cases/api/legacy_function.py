import torch
from torch import nn
from torch.autograd import Function


class Reverse(Function):
    def __init__(self, scale):
        super().__init__()
        self.scale = scale

    def forward(self, x):
        return x.view_as(x)

    def backward(self, gradient):
        return -self.scale * gradient


class Round(Function):
    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, gradient):
        return gradient


class Twice(nn.Module):
    def forward(self, x):
        return x * 2


class Callable(Function):
    def __call__(self, x):
        return type(self).apply(x)

    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, gradient):
        return gradient


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.reverse = Reverse(0.1)
        self.round = Round.apply
        self.rounded = Round().apply
        self.twice = Twice()

    def forward(self, x):
        x = Reverse(0.5)(x)  # hit
        x = self.reverse(x)  # hit
        x = Round()(x)  # hit
        x = self.round(x) + self.rounded(x) + Round.apply(x)
        x = Callable()(x)
        return self.twice(x)


def reverse(x, scale):
    return Reverse(scale)(x)  # hit


def layer(x, function=Reverse):
    return Round.apply(x), Twice()(x)
