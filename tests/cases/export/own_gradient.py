# profile: torchscript-trace torchscript-script onnx-legacy
import torch
from torch import nn
from torch.nn import functional as F


class Round(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, gradient):
        return gradient


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(x, factor):
        return x * factor

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.factor = inputs[1]

    @staticmethod
    def backward(ctx, gradient):
        return gradient * ctx.factor, None


class Written(torch.autograd.Function):
    @staticmethod
    def symbolic(g, x):
        return g.op("Round", x)

    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, gradient):
        return gradient


class Again(torch.autograd.Function):
    @staticmethod
    def forward(ctx, function, *given):
        with torch.no_grad():
            return function(*given)

    @staticmethod
    def backward(ctx, *gradients):
        return (None, *gradients)


round_through = Round.apply


def scale(x, factor):
    return Scaled.apply(x, factor)  # hit


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.keep = Round.apply

    def forward(self, x):
        x = round_through(x)  # hit
        x = self.keep(x)  # hit
        x = scale(x, 2.0)
        x = Written.apply(x)
        x = Again.apply(self.layer, x)  # hit
        return Again.apply(F.relu, x)  # hit


class Guarded(nn.Module):
    def forward(self, x):
        if torch.jit.is_tracing() or torch.jit.is_scripting():
            return x.round()
        return Round.apply(x)


class Trained(nn.Module):
    def forward(self, x):
        return Round.apply(x) if self.training else x.round()


class RoundLoss(nn.Module):
    def forward(self, x, target):
        return F.mse_loss(Round.apply(x), target)
