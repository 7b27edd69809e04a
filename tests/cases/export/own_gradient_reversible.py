# profile: onnx-legacy
import torch
from torch import nn
from torch.autograd.function import Function


class Reversible(Function):
    @staticmethod
    def forward(ctx, x, blocks):
        for block in blocks:
            x = block(x)
        ctx.blocks = blocks
        return x

    @staticmethod
    def backward(ctx, gradient):
        return gradient, None


class Doubled(Function):
    @staticmethod
    def forward(ctx, x, activation):
        return activation(x) * 2

    @staticmethod
    def backward(ctx, gradient):
        return gradient, None


class Block(nn.Module):
    def __init__(self, f):
        super().__init__()
        self.f = f

    def forward(self, x):
        return x + self.f(x)


class Sequence(nn.Module):
    def __init__(self, blocks):
        super().__init__()
        self.blocks = nn.ModuleList([Block(f) for f in blocks])
        self.block = Block(blocks[0])
        self.activation = nn.ReLU()

    def forward(self, x):
        x = Reversible.apply(torch.cat((x, x), 1), self.blocks)  # hit
        x = Reversible.apply(x, self.block)  # hit
        return Doubled.apply(x, self.activation)
