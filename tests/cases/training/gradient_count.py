import torch
from torch.autograd import Function


class Product(Function):
    @staticmethod
    def forward(ctx, x, w, transposed):
        ctx.save_for_backward(x, w)
        return x @ w

    @staticmethod
    def backward(ctx, gradient):
        x, w = ctx.saved_tensors
        if not ctx.needs_input_grad[1]:
            return gradient @ w.t(), None, None
        return gradient @ w.t(), x.t() @ gradient  # hit


class Optional(Function):
    @staticmethod
    def forward(ctx, x, w, eps=1e-5):
        return x @ w + eps

    @staticmethod
    def backward(ctx, gradient):
        return gradient, gradient


class Apart(Function):
    @staticmethod
    def forward(x, w):
        return x * w

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, gradient):
        x, w = ctx.saved_tensors
        return gradient * w, gradient * x


class Open(Function):
    @staticmethod
    def forward(ctx, run, *inputs):
        return run(*inputs)

    @staticmethod
    def backward(ctx, *gradients):
        return (None, *gradients)


class Named(Function):
    @staticmethod
    def forward(ctx, x, w):
        return x * w

    @staticmethod
    def backward(ctx, gradient):
        both = (gradient, gradient)
        return both


class Own(torch.nn.Module):
    def forward(self, x, w):
        return x * w

    def backward(self, gradient):
        return -gradient


class OfClass(Function):
    @classmethod
    def forward(cls, ctx, x, w):
        return x * w

    @classmethod
    def backward(cls, ctx, gradient):
        return gradient, gradient


class Joined(Function):
    @staticmethod
    def forward(ctx, x, a, b):
        return x * a * b

    @staticmethod
    def backward(ctx, gradient):
        nones = (None, None)
        if not ctx.needs_input_grad[0]:
            return (None,) * 3
        if gradient is None:
            return ctx.saved + nones
        return (gradient,) + (None,) * 2


class TooFew(Function):
    @staticmethod
    def forward(ctx, x, a, b=1):
        return x * a * b

    @staticmethod
    def backward(ctx, gradient):
        return gradient * 2 + 1  # hit


class GivenOrNot(Function):
    def forward(self, f, x, hidden=None):
        return f * x if hidden is None else f * x + hidden

    def backward(self, gradient):
        f, x, hidden = self.saved_tensors
        if hidden is not None:
            return gradient * x, gradient * f, gradient
        return gradient * x, gradient * f


class Nearest(Function):
    """What it gives are indices, of which no backward is asked."""

    @staticmethod
    def forward(ctx, points, centres):
        index = torch.zeros(len(centres), dtype=torch.long)
        found = index == 0
        return index, found

    @staticmethod
    def backward(ctx, index, found):
        return (None,)
