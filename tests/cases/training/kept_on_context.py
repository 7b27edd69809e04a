import torch
from torch.autograd import Function


class Both(Function):
    @staticmethod
    def forward(context, x, scale):
        y, z = x * scale, x + scale
        context.scale = scale
        context.z = z  # hit
        context.shape = x.shape
        half = y / 2
        context.half = half
        return y, z

    @staticmethod
    def backward(context, one, other):
        return one * context.scale + other, None


class Largest(Function):
    @staticmethod
    def forward(ctx, x, extension):
        y, index = x.max(1)
        best = x.argmax(1)
        mask = x > 0
        size = x.shape[0]
        picked = torch.zeros(size, dtype=torch.int32)
        extension.pick(x, picked)
        marked = x * 2
        ctx.mark_non_differentiable(index, marked)
        ctx.index = index
        ctx.best = best
        ctx.mask = mask
        ctx.size = size
        ctx.picked = picked
        ctx.marked = marked
        ctx.y = y  # hit
        return y, index, best, mask, size, picked, marked


class Changed(Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.y = y
        y = y + 1
        return y


class Plain:
    def forward(self, x):
        y = x + 1
        self.y = y
        return y
