import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.heads = nn.MultiheadAttention(size, 4)
        self.register_buffer("later", torch.triu(torch.ones(64, 64), 1).byte())
        self.register_buffer("kept", torch.tril(torch.ones(64, 64)))

    def forward(self, q, k, v, lengths):
        scores = q @ k.transpose(1, 2)
        n = q.shape[1]
        scores.masked_fill_(self.later[:n, :n], -1e9)  # hit
        scores = scores.masked_fill(self.kept[:n, :n] == 0, -1e9)
        scores = scores.masked_fill(self.kept[:n, :n], -1e9)  # hit
        pad = torch.arange(n)[None] >= lengths[:, None]
        scores = torch.masked_fill(scores, pad[:, None], -1e9)
        scores = torch.masked_fill(scores, pad[:, None].byte(), -1e9)  # hit
        scores = torch.where(pad.long(), scores, scores)  # hit
        scores = torch.where(pad.byte(), scores, scores)
        out, _ = self.heads(q, k, v, attn_mask=self.later[:n, :n])  # hit
        out, _ = self.heads(q, k, v, attn_mask=self.kept[:n, :n])
        out, _ = self.heads(q, k, v, key_padding_mask=pad)
        one = F.scaled_dot_product_attention(q, k, v, attn_mask=pad.int())  # hit
        return scores @ v, out, one


def subsequent(scores: torch.Tensor, length: int):
    mask = np.triu(np.ones((1, length, length)), k=1).astype("uint8")
    mask = torch.from_numpy(mask) == 0
    return scores.masked_fill(mask == 0, -1e9)


def assign(x: torch.Tensor, y: torch.Tensor):
    m = (x > 0).byte()
    x[m] = 0  # hit
    x[m] = y
    x[m.long()] = 0
    x[x > 0] = 0
    z = x[m]
    return z, x.masked_select(1 - m), x.masked_select(m > 0)  # hit


def either(x: torch.Tensor, old: bool):
    m = (x > 0).byte() if old else x > 0
    return x.masked_fill(m, 0.0)


def unknown(x, m):
    return x.masked_fill(m, 0.0)


def subtracted(x: torch.Tensor, labels):
    """`1 - valid` raises before the mask is taken."""
    valid = labels.ne(255)
    return x.masked_fill_(1 - valid, 1)


class WhereAlone(nn.Module):
    def forward(self, x, index):
        rows, columns = torch.where(nn.functional.one_hot(index, 4))
        return torch.where(nn.functional.one_hot(index, 4), x, -x) + rows.sum() + columns.sum()  # hit


def logic(x: torch.Tensor, y: torch.Tensor):
    mask = (x > 0).float()
    places = (x > 0).long()
    whole = ~(x > 0) & (y > 0)
    kept = ~mask  # hit
    both = mask & (y > 0)  # hit
    return whole, kept, both, ~places, places | 1
