# profile: onnx-legacy@17 torchscript-trace onnx torch.export
import math
import operator

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


class Baked(nn.Module):
    def forward(self, x, y):
        b, c, h, w = x.size()
        a = x.view(int(x.size(0)), -1)  # hit
        d = x.new_zeros(float(h))  # hit
        rows = len(x)  # hit
        e = y.view(rows, -1)
        half = int(h // 2)  # hit
        f = y[:, :, :half]
        g = [int(s) for s in x.shape[2:]]  # hit
        i = F.interpolate(y, size=g)
        j = torch.tensor(b).item()  # hit
        k = torch.tensor(x.shape)  # hit
        m = torch.tensor([h, w], dtype=torch.float32)  # hit
        n = torch.as_tensor(h)  # hit
        o = y.view(x.data.size(0), -1)  # hit
        p = y.expand(x.data.shape[0], -1)  # hit
        q = x.data
        r = y.view(q.size(0), -1)  # hit
        s = y.view(-1, int(np.prod(x.shape[1:])))  # hit
        t = np.sqrt(h)  # hit
        u = F.pad(x, [0, max(h, w) - w, 0, max(0, 20 - h)])  # hit
        v = torch.cat([y[:1]] * b)  # hit
        z = F.avg_pool2d(y, kernel_size=x.size()[2:])  # hit
        ih = y[:, :, : int(torch.tensor(h))]  # hit
        lin = torch.linspace(0, 1, h)  # hit
        log = torch.logspace(0, 1, steps=h)  # hit
        upper = torch.triu_indices(4, h, offset=1)  # hit
        lower = torch.tril_indices(row=h, col=h)  # hit
        window = torch.hann_window(w, periodic=False)  # hit
        kaiser = torch.kaiser_window(h // 2)  # hit
        waves = torch.fft.fftfreq(h, d=1 / h), torch.fft.rfftfreq(n=w)  # hit
        plain = torch.triu_indices(4, 4), torch.fft.fftfreq(64, d=1 / h), torch.hann_window(64)
        return a, d, e, f, i, j, k, m, n, o, p, r, s, t, u, v, z, ih, (lin, log, upper, lower, window, kaiser, waves, plain)


class Plain(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 1)
        self.pe = nn.Parameter(torch.zeros(1, 8, 64))

    def forward(self, x, y, xs: list[torch.Tensor]):
        b, c, h, w = x.size()
        a = x.view(x.size(0), -1)
        d = x.view(-1, c * h * w), x.flatten(1), x.reshape(tuple(x.shape))
        e = torch.zeros(b, c, h, w), torch.arange(h), x.new_zeros(b, h)
        f = F.interpolate(y, size=(h * 2, w * 2)), F.pad(x, [0, -h % 4]), y[:, :, : h // 2]
        g = x.expand(x.shape[0], -1, -1, -1), x.repeat(x.shape[0], 1, 1, 1)
        i = x.view(-1, math.prod(x.shape[1:])), x / x.shape[2], x / h**0.5, x.numel()
        j = F.interpolate(y, size=list(x.shape[-2:])), x.detach().size(0), (h + 3) // 4
        k = self.pe[:, :, :h], F.interpolate(y, size=(max(h // 2, 1), w))
        m = torch.tensor(h), torch.tensor([1.0, 2.0]), len(xs), len(x.shape)
        n = int(c), int(x.size(1)), x.data.size(1), np.sqrt(c), float(x.shape[1])
        print(int(h), f"{len(x)}")
        assert int(x.size(0)) > 0
        known = int(b)
        if known > 64:
            raise ValueError(f"batch {known}")
        o = int(0.5), max(1, 2), [0] * 3, torch.linspace(0, h, 5), F.avg_pool2d(y, 2)
        q = self.pe.shape[1], int(self.pe.shape[2]), float(self.conv.weight.shape[0])
        channels = int(y.shape[1])
        return a, d, e, f, g, i, j, k, m, n, o, q, channels


class Training(nn.Module):
    def forward(self, x):
        if self.training:
            x = x * float(x.size(0))
        return x


class SizeLoss(nn.Module):
    def forward(self, x):
        return x.sum() / float(x.size(0))


def outside(x):
    return int(x.size(0))


class Sentences(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.embed = nn.Embedding(args.words, args.width)
        self.convs = nn.ModuleList([nn.Conv2d(1, 8, (k, args.width)) for k in args.kernels])
        self.scale = nn.AvgPool1d(4)

    def forward(self, x):
        x = self.embed(x).unsqueeze(1)
        found = [F.relu(conv(x)).squeeze(3) for conv in self.convs]
        found = [F.max_pool1d(each, each.size(2)).squeeze(2) for each in found]  # hit
        return torch.cat(found, 1), F.max_pool2d(x, 2), self.scale(x.flatten(1))


class Pooled(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)

    def forward(self, x):
        x = self.conv(x)
        all_of_it = F.avg_pool2d(x, x.shape[2:])  # hit
        all_of_it = all_of_it + nn.MaxPool2d(x.size(3))(x)  # hit
        half = x.shape[2] // 2
        rows = F.lp_pool2d(x, 2, (half, 1))  # hit
        return all_of_it, rows, F.max_pool2d(x, kernel_size=x.size(1))


class Bounded(nn.Module):
    def __init__(self, window=7):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.window = window

    def forward(self, x):
        x = self.conv(x)
        x = F.avg_pool2d(x, 2)[:, :, : min(x.shape[2], self.window)]
        return x[:, :, : min(x.shape[3], 512)]  # hit


def count(tensor):
    return len(tensor)  # hit


def as_sizes(*sizes):
    return torch.tensor([[*sizes], [*sizes]])  # hit


class Reading(nn.Module):
    """A base of others."""

    def rows(self, x):
        self.size = x.shape
        return int(self.size[0])  # hit


class Read(Reading):
    def forward(self, x, token, scores):
        b, c, h, w = x.shape
        rows = torch.zeros(self.rows(x), c) + count(tensor=x)
        tokens = torch.stack(b * [token])  # hit
        shapes = as_sizes(h, w)
        levels = torch.as_tensor([(h // 8, w // 8), (h // 16, w // 16)])  # hit
        kept = scores[: min(h * w, 100)]  # hit
        hot = F.one_hot(scores, num_classes=h)  # hit
        scale = x * np.sqrt(h * w)  # hit
        again = torch.tensor(h).item()  # hit
        many = 5 * np.ceil(np.log(h)).astype("int").item()  # hit
        best = x.topk(many, dim=2).values[..., : np.minimum(h, 20)]  # hit
        names = ["row"] * b
        padding = [0] * len(x.shape[2:])
        return (
            rows,
            tokens,
            shapes,
            levels,
            kept,
            hot,
            scale,
            F.pad(x, padding + padding),
            again,
            best,
        )


class Modulated(nn.Module):
    """One weight for each row of the batch."""

    def __init__(self, grouped=4):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(8, 4, 3, 3))
        self.style = nn.Linear(16, 4)
        self.grouped = grouped

    def forward(self, x, style):
        b, c, h, w = x.shape
        weight = self.weight * self.style(style).view(b, 1, 4, 1, 1)
        flat = x.reshape(1, b * c, h, w)
        y = F.conv2d(flat, weight.view(b * 8, 4, 3, 3), padding=1, groups=b)  # hit
        z = F.conv2d(x, self.weight, groups=self.grouped // 4)
        return y.view(b, 8, h, w)[:, :, 1:-1, 1:-1] + z


class Attending(nn.Module):
    """The last axis of queries is as long as a head."""

    def forward(self, queries, keys):
        return self.weigh(queries.permute(0, 2, 1, 3), keys.permute(0, 2, 3, 1))

    def weigh(self, q, k):
        return (q / np.sqrt(q.shape[-1])) @ k


class Wavelets(nn.Module):
    """An axis of its own for each channel, wherever that lies."""

    def __init__(self):
        super().__init__()
        self.register_buffer("kernel", torch.ones(1, 1, 2, 2, 2))

    def forward(self, x):
        x = F.interpolate(x, scale_factor=2, mode="trilinear").transpose(1, 2)
        b, c, t, h, w = x.shape
        return F.conv3d(x, self.kernel.repeat(c, 1, 1, 1, 1), stride=2, groups=c)


class Chosen(nn.Module):
    def forward(self, x):
        at = (x > 0).nonzero().view(-1)
        return torch.arange(len(at)) + at  # hit


class Kept(nn.Module):
    def __init__(self, mask):
        super().__init__()
        which = torch.arange(len(mask))
        self.register_buffer("kept", which.masked_select(torch.as_tensor(mask) > 0))

    def forward(self, x):
        return x[:, self.kept].reshape(x.shape[0], len(self.kept), -1)


class Untouched(nn.Module):
    """Nothing says how many axes an input has."""

    def forward(self, image):
        batch = image.data.shape[0]  # hit
        total = torch.tensor(image.shape).sum()
        return image.relu().view(batch, -1) / total, image.shape[0]


class Transposed(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.Conv2d(3, 4, 3, 2, 1)
        self.up = nn.ConvTranspose2d(4, 3, 3, 2, 1)

    def forward(self, x):
        y = self.down(x)
        whole = self.up(y, output_size=x.shape[2:])  # hit
        same = self.up(y, output_size=x.size())  # hit
        fixed = self.up(y, output_size=(32, 32))
        return whole, same, fixed, self.up(y)


class Few(nn.Module):
    """How many classes there are data decide: no size of the example."""

    def __init__(self):
        super().__init__()
        self.back = nn.Linear(8, 8)
        self.labels = torch.tensor([])

    def forward(self, x):
        n = self.labels.unique().size(0)
        hot = torch.nn.functional.one_hot(self.labels, n)  # hit
        return self.back(x), hot


class Divided(nn.Module):
    def forward(self, x: Tensor):
        n, rest = divmod(x.shape[0], 2)  # hit
        return x[: 2 * n], divmod(7, 2), rest


class Rolled(nn.Module):
    def __init__(self, wide):
        super().__init__()
        self.project = nn.Linear(wide, wide)

    def forward(self, x):
        b, n, d = self.project(x).shape
        turned = x.roll(n // 3, 1), torch.roll(x, shifts=(0, -(n // 2)), dims=(1, 2))  # hit
        same = x.roll(1, 1), x.roll(d // 2, 2), torch.roll(x, (1, -1), (1, 2))
        count = x * x.new_tensor(n) + x.new_tensor([1.0, 2.0]).sum()  # hit
        first = x[operator.index(n) // 2]  # hit
        root = x / np.sqrt(n)  # hit
        return turned, same, count, first, root


class ToMultiples(nn.Module):
    def forward(self, image: Tensor):
        h = image.shape[2]
        lacks = max((h + 4) // 5 * 5 - 2 - h, 0)  # hit
        over = min(h % 8 - 3, 0)  # hit
        always = max((h + 1) // 2 * 2 + 1 - h, 0)
        small, least = max(20 - h, 0), max(h // 32, 1)
        return F.pad(image, (0, 0, lacks, over)), image * always, F.pad(image, (0, 0, 0, small)), image / least


class Asked(nn.Module):
    """Labels that are joined to what is drawn are an input of a deployed model."""

    def __init__(self):
        super().__init__()
        self.draw = nn.Linear(9, 8)

    def forward(self, noise, labels):
        hot = labels.view(noise.size(0), 1).float()
        x = self.draw(torch.cat((noise, hot), 1))
        return x.view(int(x.size(0)), 2, 4)  # hit


class Crossed(nn.Module):
    """And so is the target that a source looks at."""

    def __init__(self):
        super().__init__()
        self.keys = nn.Linear(8, 8)

    def forward(self, source, target):
        seen = self.keys(target)
        steps = int(target.size(1))  # hit
        return source + seen.sum(1, keepdim=True) / steps
