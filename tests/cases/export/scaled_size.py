# profile: onnx-legacy@17 torchscript-trace onnx torch.export
import math
from functools import partial

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


class Scaled(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.scale = scale

    def forward(self, x, y):
        b, c, h, w = x.shape
        a = y[:, :, : int(h / 2)]  # hit
        d = y[:, :, : int(h * 0.75)]  # hit
        e = y[:, :, : int(h * self.scale)]  # hit
        f = y[:, :, : math.ceil(h / 4)]  # hit
        g = y[:, :, : math.floor(h * 0.5)]  # hit
        i = y / math.sqrt(h * w)  # hit
        j = y[:, :, : round(h * 0.5)]  # hit
        k = F.pad(y, [0, -(-w // 4)])  # hit
        m = F.interpolate(y, scale_factor=h / 8)  # hit
        q, r = divmod(h, 4)  # hit
        side = int(y.shape[1] ** 0.5)  # hit
        return a, d, e, f, g, i, j, k, m, q, r, side


class Exact(nn.Module):
    def __init__(self, heads):
        super().__init__()
        self.heads = heads
        self.pe = nn.Parameter(nn.Conv2d(1, 1, 1).weight)

    def forward(self, x, y):
        b, c, h, w = x.shape
        a = y[:, :, : h // 2], y[:, :, : (h + 3) // 4], F.pad(y, [0, -w % 4])
        d = y / math.sqrt(c), y / math.sqrt(x.size(1)), y * int(c / 2), math.ceil(7 / 2)
        e = F.interpolate(y, scale_factor=2), F.interpolate(y, scale_factor=self.heads / 8)
        f = (h - 1) // 2 + 1, y / h, y * h**0.5, math.prod(x.shape), round(h)
        if math.sqrt(h) > 100:
            raise ValueError(f"{h / 2}")
        n = int((h // length) ** 0.5), int(h // y.shape[2]), int((h // y.shape[2]) ** 0.5)
        return a, d, e, f, n, int(self.pe.shape[1] ** 0.5)


class Attention(nn.Module):
    def __init__(self, heads, n):
        super().__init__()
        self.heads = heads
        self.embed = nn.Conv2d(3, 8, 16)

    def forward(self, x, q, k, value):
        b, h, t, d = q.shape
        s = q @ k.transpose(-2, -1) / math.sqrt(d)
        s = s / math.sqrt(q.shape[3]), s / math.sqrt(q.size(3)), q[:, : int(q.size(1) / 2)]
        s = s, q[:, : round(h / 2)]
        bs, n_heads, len_q, dh = q.size()
        s = s, q[..., : int(dh / 2)]
        b, n, width_of_head = value.shape
        s = s, value / math.sqrt(width_of_head)
        q2 = q.view(b, n, self.heads, -1)
        b, n, h, d = q2.shape
        s = s, q2 / math.sqrt(q2.shape[3]), q2[:, :, : round(h / 2)], q2[..., : round(d / 2)]
        size = k.shape[3]
        per_head = k.shape[-1]
        rows, features = x.shape
        s = s, k / math.sqrt(size), k / math.sqrt(per_head), x / math.sqrt(features)
        t, b, e = value.shape
        first, *_, last = x.shape
        return s, value / math.sqrt(e), x / math.sqrt(last), x[: int(first / 2)]  # hit


class Images(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 16)

    def forward(self, x, y, z, u, v, s, t, q):
        b, height, width, c = x.shape
        a = y[: int(height / 2)], y[: int(width / 2)], y[: int(c / 2)]  # hit
        a = a, y[: int(c / 2)]
        _, _, ih, iw = u.shape
        a = a, y[: int(ih / 2)]  # hit
        _, _, _, w = v.size()
        a = a, y[: int(w / 2)]  # hit
        b, c, rows, cols = s.shape
        a = a, y[: int(cols / 2)]  # hit
        b, c, w_in, h_in = t.shape
        a = a, y[: int(h_in / 2)]  # hit
        b, c, frames, y_size, x_size = z.shape
        a = a, y[: int(x_size / 2)]  # hit
        a = a, y[: int(u.shape[3] / 2)], y[: int(u.size(2) / 2)]  # hit
        c, h, w = q.shape
        a = a, y[: int(h / 2)]  # hit
        h, w = u.shape[2:]
        *_, h2, w2 = u.shape
        return a, y[: int(w / 2)]  # hit


def halve(size, by=2):
    return int(size / by)  # hit


def grow(image, factors):
    for factor in factors:
        image = F.interpolate(image, scale_factor=factor)
    return image


class Words(nn.Module):
    def __init__(self, heads=4):
        super().__init__()
        self.heads = heads
        self.embed = nn.Embedding(10, 16)

    def forward(self, ids):
        x = self.embed(ids)
        b, t, c = x.shape
        q, k, v = x.view(b, t, 1, self.heads, -1).expand(-1, -1, 3, -1, -1).unbind(2)
        _, length, heads, width = q.shape
        q = q[:, : round(length / 2)] / math.sqrt(width), q[:, :, : int(heads / 2)]  # hit
        first, rest = divmod(t, 8)  # hit
        side = int(math.sqrt(t))  # hit
        x = x[:, : side * side].view(b, side, side, c)
        return q, k, v[:, :first], x


class Padded(nn.Module):
    def __init__(self, window=(7, 7), stride=2):
        super().__init__()
        self.window, self.stride = window, stride
        self.conv = nn.Conv2d(3, 8, 3)
        self.near = partial(halve, by=4)

    def short_of(self, size):
        return -(size // -self.window[0]) * self.window[0] - size

    def forward(self, x):
        h, w = x.shape[-2:]
        below = math.ceil(h / self.stride) * self.stride - h  # hit
        aside = int(np.ceil(w / self.window[1])) * self.window[1] - w
        x = self.conv(F.pad(x, [0, aside, 0, below]))
        x = F.pad(x, [0, 0, 0, self.short_of(x.shape[2])])
        return x[:, :, : halve(w)] + x[:, :, : self.near(size=h)]


class Resized(Padded):
    def forward(self, x, y):
        x = super().forward(x)
        ratio = y.shape[2] / x.shape[2]
        sizes = {"scale_factor": (ratio, ratio)}
        x = F.interpolate(x, **sizes)  # hit
        x = F.interpolate(x, scale_factor=self.stride / 2)
        return grow(x, (2, 4)), F.interpolate(x, size=y.shape[2:])


class Kernel(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        rows = int(x.shape[2] / 2)
        out = x.new_empty(x.shape[0], x.shape[1], rows)
        launch(x.data_ptr(), out.data_ptr(), rows)
        return out


class Halved(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        return x[:, :, : int(x.shape[2] / 2)]  # hit


class Kernels(nn.Module):
    def forward(self, x):
        return Kernel.apply(x), Halved.apply(x)


class Reorg(nn.Module):
    """A stride that is read from a file is no size."""

    def __init__(self, stride):
        super().__init__()
        self.stride = stride

    def forward(self, x):
        b, c, h, w = x.size()
        return x.view(b, c, int(h / self.stride), self.stride, -1)  # hit


class Read(nn.Module):
    def __init__(self, path):
        super().__init__()
        self.layers = nn.ModuleList()
        for block in [dict(line.split("=") for line in open(path))]:
            stride = int(block["stride"])
            self.layers.append(Reorg(stride))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


class Sampled(nn.Module):
    """What NumPy makes of settings of which nothing is known is no size."""

    def __init__(self, settings):
        super().__init__()
        self.settings = settings

    def forward(self, x):
        most = int(np.round(self.settings["share"] * self.settings["rows"]))
        return x[: min(most, x.shape[0])]


def pad_same(size, kernel, stride):
    if isinstance(size, torch.Tensor):
        return torch.clamp(((size / stride).ceil() - 1) * stride + kernel - size, min=0)
    return max((math.ceil(size / stride) - 1) * stride + kernel - size, 0)


def pad_always(size, kernel, stride):
    if isinstance(size, torch.SymInt):
        return size % 2
    return max((math.ceil(size / stride) - 1) * stride + kernel - size, 0)  # hit


class PadsByClassOfSize(nn.Module):
    def forward(self, x):
        h, w = x.shape[2:]
        x = F.pad(x, (0, pad_same(w, 3, 2), 0, pad_same(h, 3, 2)))
        h, w = x.shape[2:]
        return F.pad(x, (0, pad_same(w, 3, 2), 0, pad_same(h, 3, 2)))


class PadsTracedToo(nn.Module):
    def forward(self, x):
        h, w = x.shape[2:]
        return F.pad(x, (0, pad_always(w, 3, 2), 0, pad_always(h, 3, 2)))


class PadsWhatIsUnknown(nn.Module):
    def __init__(self, parts):
        super().__init__()
        self.parts = parts
        self.register_buffer("marks", self.pad(torch.zeros(1, 3, 64, 64)))

    def pad(self, x):
        h, w = x.shape[2:]
        return F.pad(x, (0, pad_same(w, 3, 2), 0, pad_same(h, 3, 2)))

    def forward(self, x):
        x = self.pad(x)
        return self.pad(self.parts(x))


class Doubling(nn.Module):
    def forward(self, x):
        b, c, h, w = x.shape
        return x, torch.arange(int(2 ** math.ceil(math.log2(2 * h - 1))))  # hit


class Found(nn.Module):
    """What data count is refused: no example says how many there are."""

    def forward(self, x):
        n = x.nonzero().size(0)
        return x.new_zeros(int(n / 2))


class Grown(nn.Module):
    """Behind the return, and in the branch, nothing is left to be resized."""

    def forward(self, x):
        if x.numel() > 0:
            return torch.relu(x)

        def grown(axis):
            return int(math.floor(x.size(axis) * 1.5))

        return x.new_empty(x.size(0), grown(2))


class Shrunk(nn.Module):
    def forward(self, x):
        if x.numel() == 0:
            return x.new_empty(x.size(0), int(x.size(2) / 2))
        y = x.new_zeros(x.size(0), int(x.size(2) / 2))  # hit
        return x, y


class Bits(nn.Module):
    def __init__(self, wide):
        super().__init__()
        self.project = nn.Linear(wide, wide)

    def forward(self, x):
        b, n, d = self.project(x).shape
        half, even = x[:, : n >> 1], x * (n & 6)  # hit
        powers = x * math.gcd(n, 12), x * math.cos(n), x * math.pow(n, 2)  # hit
        assert n & (n - 1) == 0
        both = x * (n > 4 and d > 2), x[:, : d >> 1], x * math.gcd(d, 4)
        return half, even, powers, both


class Stretched(nn.Module):
    def forward(self, x):
        return F.interpolate(  # hit
            x,
            scale_factor=math.sqrt(x.shape[2] / 196),
        )


class Beside(nn.Module):
    """Two strides round up where one pool rounds down."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 8, 3, 2, 1)
        self.second = nn.Conv2d(8, 8, 3, 2, 1)
        self.pool = nn.MaxPool2d(2)
        self.up = nn.ConvTranspose2d(8, 8, 2, 2)

    def forward(self, x):
        x = self.first(x)
        high = self.up(self.second(x))
        less = x.size(2) - high.size(2)
        high = F.pad(high, [0, 0, less // 2, less - less // 2])  # hit
        low = self.up(self.pool(x))
        more = x.size(2) - low.size(2)
        low = F.pad(low, [0, 0, more // 2, more - more // 2])
        return high, low


class Gate(nn.Module):
    """Of two axes the second are the channels, as its name says."""

    def forward(self, x):
        nc = x.size(1)
        assert nc % 2 == 0
        nc = int(nc / 2)
        return x[:, :nc] * F.sigmoid(x[:, nc:])


class Text(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(1024, 512)
        self.gate = Gate()

    def forward(self, text):
        x = self.gate(self.fc(text))
        return x[:, :128], x[:, 128:]


class OfChannels(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)

    def forward(self, image):
        x = self.conv(image)
        batch, places, steps, in_channels = x.shape
        return x / math.sqrt(in_channels)


class OfSteps(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)

    def forward(self, image):
        x = self.conv(image)
        batch, places, steps, in_channels = x.shape
        return x / math.sqrt(steps)  # hit
