# profile: onnx-legacy@17
from functools import partial

import torch
import torch.nn.functional as F
from torch import nn


def invert(matrix):
    solve = torch.linalg.inv
    return solve(matrix)  # hit


class Forms(nn.Module):
    """Spellings of operators that have no translation, and of some that have one."""

    def __init__(self):
        super().__init__()
        self.fold = nn.Fold((8, 8), 2)
        self.unpool = nn.MaxUnpool2d(2)
        self.pool = nn.MaxPool2d(2, return_indices=True)
        self.spectrum = partial(torch.fft.fft2, dim=(-2, -1))
        self.steps = [torch.diff, torch.cumsum]

    def forward(self, image):
        turned = image.mT  # hit
        same = image.transpose(-2, -1)
        inverse = invert(image)
        pooled, places = self.pool(image)
        back = self.unpool(pooled, places)  # hit
        freqs = self.spectrum(image).abs()  # hit
        change = image.diff(dim=-1)  # hit
        for step in self.steps:
            change = step(change, dim=-1)  # hit
        grown = getattr(torch, "expm1")(image)  # hit
        if self.training:
            grown = grown.diff()
        return turned, same, inverse, back, freqs, change, grown, image.expand_as(image)


class Sized(nn.Module):
    """Arguments that are traced."""

    def __init__(self):
        super().__init__()
        self.still = nn.Unflatten(1, (2, 2))
        self.tracking = nn.InstanceNorm2d(4, affine=True, track_running_stats=True)
        self.norm = nn.InstanceNorm2d(4, affine=True)
        self.batch = nn.BatchNorm2d(4)
        self.momentary = nn.BatchNorm2d(4, track_running_stats=False)
        self.conv = nn.Conv2d(3, 4, 3)

    def forward(self, image):
        x = self.conv(image)
        x = self.batch(self.norm(x))
        x = self.tracking(x)  # hit
        x = self.momentary(x)  # hit
        height, width = x.shape[2:]
        rows = nn.Unflatten(2, torch.Size([height // 2, 2]))(x)  # hit
        own = x.unflatten(2, (height // 2, 2))
        tokens = x.flatten(2)
        seen = F.scaled_dot_product_attention(tokens, tokens, tokens, is_causal=width > 1)  # hit
        blind = F.scaled_dot_product_attention(tokens, tokens, tokens, is_causal=bool(width > 1))
        normal = F.layer_norm(x, x.shape[-1:])  # hit
        return self.still(x), rows, own, seen, blind, normal, F.layer_norm(x, (4,))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(16, 2, batch_first=True)
        self.across = nn.MultiheadAttention(16, 2)
        self.conv = nn.Conv2d(3, 16, 4)

    def forward(self, image):
        x = self.conv(image).flatten(2).transpose(1, 2)
        x = x + self.attention(x, x, x, need_weights=False)[0]  # hit
        return x + self.attention(x, x.flip(1), x)[0] + self.across(x, x, x)[0]


class Folded(nn.Module):
    def __init__(self, settings):
        super().__init__()
        self.patch = settings.model.patch
        self.conv = nn.Conv2d(3, 8, 1)

    def forward(self, x):
        h, w = self.conv(x).shape[2:]
        size = torch.Size([h // self.patch[0], w // self.patch[1]])
        return nn.Sequential(nn.Unflatten(1, size))(x.flatten(1))  # hit


class Counted(nn.Module):
    def forward(self, x, index):
        spread = torch.zeros(3, 8).index_add(0, index, x)  # hit
        inplace = x.new_zeros(3, 8).index_add_(0, index, x)  # hit
        once = torch.zeros(8, 8).index_add(0, torch.arange(8), x)
        bins = torch.histc(x, 10, 0, 1)  # hit
        alike = x @ x.t()
        alike.fill_diagonal_(0)  # hit
        drawn = torch.nn.functional.gumbel_softmax(x)  # hit
        return spread, inplace, once, bins, alike, drawn
