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


class OfRows(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(8)
        self.whole = nn.BatchNorm1d(8)
        self.mix = nn.Linear(8, 8)

    def forward(self, x, mask):
        rows = x[~mask]
        found = self.norm(self.mix(rows))  # hit
        a = torch.logsumexp(rows.float(), 1)  # hit
        b = rows.chunk(2, 1)[0]
        return a, b, found, self.whole(x.mean(1)), self.mix(rows).softmax(0)


class OfSteps(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix = nn.Linear(8, 8)
        self.steps = nn.GRU(8, 8, batch_first=True)
        self.first = nn.GRU(8, 8)
        self.attend = nn.MultiheadAttention(8, 2, batch_first=True)
        self.weigh = nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, x):
        b, n, c = x.shape
        tokens = self.mix(x)
        tokens = tokens[tokens.sum(-1) > 0]
        steps = tokens[None]
        a, _ = self.steps(steps)  # hit
        d, _ = self.first(steps)
        e = self.attend(steps, steps, steps, need_weights=False)[0]  # hit
        f, _ = self.weigh(steps, steps, steps)
        g = F.scaled_dot_product_attention(steps, x, x)  # hit
        h = F.scaled_dot_product_attention(x, x, x)
        i, j = tokens.chunk(2)  # hit
        k, m = tokens.chunk(2, dim=-1)
        return a, d, e, f, g, h, i, j, k, m, tokens.roll(1, 0)  # hit


class Contrast(nn.Module):
    """Gives a loss."""

    def __init__(self, reduction="mean"):
        super().__init__()
        self.reduction = reduction

    def forward(self, z):
        likeness = torch.exp(z @ z.T)
        rest = likeness.masked_select(~torch.eye(len(z), dtype=torch.bool)).view(len(z), -1)
        loss = torch.log(rest.sum(1))
        if self.reduction == "mean":
            return torch.mean(loss)
        return loss


class InParts(nn.Module):
    def forward(self, x):
        rows = x[x[:, 0] > 0]
        parts = []
        for part in torch.split(rows, 1000, dim=0):
            parts.append(part * 2)
        return torch.cat(parts)
