import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.functional import scaled_dot_product_attention as attend


class Ranks(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 8)

    def forward(self, words, mask, other):
        batch, steps, width = words.shape
        q, k, v = self.q(words), self.k(words), self.v(words)
        one = F.scaled_dot_product_attention(q, k, v)  # hit
        two = attend(q, k, v, attn_mask=mask, is_causal=False)  # hit
        named = attend(query=q, key=k, value=v)  # hit
        flat = attend(q[0], k[0], v[0])  # hit
        heads = [each.view(batch, steps, 2, 4).transpose(1, 2) for each in (q, k, v)]
        four = F.scaled_dot_product_attention(*heads)
        merged = [each.reshape(batch * 2, steps, 4) for each in heads]
        three = F.scaled_dot_product_attention(*merged)  # hit
        lone = attend(q.unsqueeze(0), k.unsqueeze(0), v.unsqueeze(0)).squeeze(0)
        lone = attend(q[:, None], k[:, None], v[:, None])[:, 0]
        five = attend(heads[0][None], heads[1][None], heads[2][None])  # hit
        mixed = attend(heads[0], merged[1][:steps], heads[2])  # hit
        unknown = attend(other, other, other)
        return one, two, named, flat, four, three, lone, five, mixed, unknown


class Unknown(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 8)

    def forward(self, x):
        return F.scaled_dot_product_attention(self.q(x), self.k(x), self.v(x))


class Single(nn.Module):
    def __init__(self):
        super().__init__()
        self.q = nn.Linear(8, 8)

    def forward(self, x):
        q = self.q(x).unsqueeze(1)
        return F.scaled_dot_product_attention(q, q, q).squeeze(1)


class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(10, 8)

    def forward(self, ids):
        x = self.embed(ids)
        return F.scaled_dot_product_attention(x, x, x)


class Either(nn.Module):
    def forward(self, q, k, v):
        if q.dim() == 3:
            q, k, v = q.unsqueeze(1), k.unsqueeze(1), v.unsqueeze(1)
        return F.scaled_dot_product_attention(q, k, v)


class Grown(nn.Module):
    def forward(self, q, k, v):
        batch, steps, width = q.shape
        q, k, v = (each[:, None] for each in (q, k, v))
        return F.scaled_dot_product_attention(q, k, v)[:, 0]


class Flattened(nn.Module):
    def __init__(self):
        super().__init__()
        self.q = nn.Conv2d(8, 8, 1)

    def forward(self, x):
        q = self.q(x).flatten(2).transpose(1, 2)
        return F.scaled_dot_product_attention(q, q, q)  # hit


def outside():
    x = torch.ones(2, 5, 8)
    return F.scaled_dot_product_attention(x, x, x)
