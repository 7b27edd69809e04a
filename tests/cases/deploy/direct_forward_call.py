import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, given):
        super().__init__()
        self.body = nn.Linear(4, 4)
        self.loss = nn.L1Loss()
        self.given = given

    def forward(self, x):
        x = self.body.forward(x)  # hit
        x = self.loss.forward(x, x)  # hit
        x = self.given.forward(x)
        return self.body(x)

    def predict(self, x):
        return self.forward(x)


class Sub(Net):
    def forward(self, x):
        return super().forward(x) + Net.forward(self, x)


class Called(nn.Module):
    def __call__(self, x):
        return self.forward(x)

    def forward(self, x):
        return x


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * x


def run(model, ctx, x, engine):
    model.eval()
    y = model.forward(x)  # hit
    built = Net(None)
    y = built.forward(x)  # hit
    called = Called()
    y = called.forward(x)
    y = engine.forward(x)
    return Square.forward(ctx, y)


def run_layer(layer, x):
    return layer.forward(x)  # hit


class Helped(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(2))

    def forward(self, x):
        for layer in self.layers:
            x = run_layer(layer, x)
        return x
