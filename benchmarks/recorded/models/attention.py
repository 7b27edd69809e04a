"""A block of a transformer: heads, a mask, and a size that is read once too often."""

import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, width=32, heads=4):
        super().__init__()
        self.heads = heads
        self.project = nn.Linear(width, 3 * width)
        self.close = nn.Linear(width, width)

    def forward(self, tokens):
        batch, length, width = tokens.shape
        mixed = self.project(tokens).view(batch, length, 3, self.heads, -1)
        query, key, value = mixed.permute(2, 0, 3, 1, 4)
        scores = query @ key.transpose(-1, -2) / (width // self.heads) ** 0.5
        mask = torch.triu(torch.ones(int(length), int(length)), 1).bool()
        weights = scores.masked_fill(mask, float("-inf")).softmax(-1)
        return self.close((weights @ value).transpose(1, 2).reshape(batch, length, width))


class Padded(nn.Module):
    def forward(self, scores, lengths):
        steps = torch.arange(scores.size(1))
        kept = steps[None] < lengths[:, None]
        return (scores * kept).sum(1) / lengths
