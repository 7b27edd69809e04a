# profile: onnx-legacy@17 torchscript-script onnx torch.export
import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Sizes(nn.Module):
    def forward(self, x: Tensor, y: Tensor, counts: Tensor):
        a = F.one_hot(y)  # hit
        b = F.one_hot(y, num_classes=-1)  # hit
        c = torch.masked_select(x, x > 0)  # hit
        d = x.masked_select(mask=x > 0)  # hit
        e = torch.bincount(y, minlength=10)
        f = torch.unique_consecutive(y)  # hit
        g = x.repeat_interleave(counts, dim=0, output_size=9)  # hit
        h = torch.repeat_interleave(x, counts, 0, output_size=9)  # hit
        i = torch.nonzero(x, as_tuple=True)[0]  # hit
        j = torch.combinations(y)  # hit
        rows = x[:, 0] > 0
        x[rows] = 0  # hit
        return a, b, c, d, e, f, g, h, i, j, x


class Harmless(nn.Module):
    def forward(self, x: Tensor, y: Tensor, counts: Tensor, repeats: int):
        a = torch.nonzero(x > 0)
        b = torch.where(x > 0)
        c = torch.unique(y, return_inverse=True)
        d = x[x > 0]
        e = x.repeat_interleave(counts, dim=0)
        f = F.one_hot(y, 10) + F.one_hot(y, num_classes=10)
        g = x.repeat_interleave(2, 0, output_size=8)
        x[x > 0] = 0
        rows = x[:, 0] > 0
        x[rows] = y
        print(torch.bincount(y))
        h = torch.repeat_interleave(x, repeats, dim=0, output_size=8)
        if self.training:
            x = x.masked_select(x > 0)
        return a, b, c, d, e, f, g, h, x


def count(y: Tensor):
    return torch.bincount(y)


class Spelled(nn.Module):
    def __init__(self, classes=None, kept=4):
        super().__init__()
        self.classes = classes
        self.encode = F.one_hot
        self.options = {"num_classes": kept}

    def forward(self, x, words):
        n, d = x.shape
        pick = x.masked_select
        a = pick(x > 0)  # hit
        b = self.encode(words)  # hit
        c = self.encode(words, **self.options)
        low = x.amax(1) < 0
        x[low] = -1.0  # hit
        picked, counts = torch.unique_consecutive(words, return_counts=True)  # hit
        return a, b, c, x, picked, counts, chosen(x, mask=x > 1)


def chosen(x, mask):
    return torch.masked_select(input=x, mask=mask)  # hit
