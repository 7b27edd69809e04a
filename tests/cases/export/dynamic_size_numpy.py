# profile: torch.export onnx onnx-legacy@17 torchscript-trace
import numpy as np
import torch
from torch import nn


class Grids(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 3, 1)
        self.bins = np.arange(4)

    def forward(self, x):
        y = self.conv(x)
        h, w = y.shape[-2:]
        rows = np.linspace(-1, 1, h)  # hit
        ramp = torch.from_numpy(np.stack([rows, rows]).astype("float32")).sum()
        ones = torch.tensor(np.ones((h, w), dtype=np.float32))  # hit
        channels = torch.from_numpy(np.zeros(y.shape[1], dtype=np.float32)).sum()
        print(np.arange(h))
        sides = torch.FloatTensor([w, h]).sum()  # hit
        return y * ones * sides + ramp + channels + torch.from_numpy(self.bins).sum()


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.query = nn.Linear(8, 8)

    def forward(self, x):
        n = x.shape[1]
        scores = self.query(x) @ x.transpose(1, 2)
        return scores / np.sqrt(n)  # hit


class OfData(nn.Module):
    def forward(self, x):
        state = torch.zeros(1, x.data.size(0), 4)  # hit
        return x + state.sum()


class Counted(nn.Module):
    def forward(self, x):
        last = torch.LongTensor(x.size(0)).fill_(1)  # hit
        zeros = torch.FloatTensor(x.size(0)).fill_(0)  # hit
        return x * last.sum() + zeros.sum()


class Indexed(nn.Module):
    def forward(self, x):
        b, c, h, w = x.shape
        ys, xs = np.mgrid[:h, 0:w]  # hit
        fixed = np.mgrid[:4, :4]
        return x + torch.from_numpy(np.stack([xs, ys])).float()[:1], torch.from_numpy(fixed)


class Causal(nn.Module):
    """Of tokens, there are as many as the text has."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(50, 8)

    def forward(self, tokens):
        b, n = tokens.size()
        mask = np.triu(np.ones((1, n, n)), k=1).astype("uint8")  # hit
        seen = self.embed(tokens)
        scores = (seen @ seen.transpose(1, 2)).masked_fill(torch.from_numpy(mask) == 1, -1e9)
        return scores.softmax(-1) @ seen


class Windowed(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(16, 4)
        self.kept = torch.from_numpy(np.hanning(16)).float()

    def forward(self, x):
        window = np.hanning(x.shape[1])  # hit
        x = x * torch.from_numpy(window).float()[None, :, None]
        return self.proj(x) * self.kept[:4]
