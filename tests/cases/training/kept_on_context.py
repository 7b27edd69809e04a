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


class Plain:
    def forward(self, x):
        y = x + 1
        self.y = y
        return y
