# profile: onnx onnx-legacy@17
import numpy as np
import torch
import torch.nn.functional as F
from torch import einsum, nn


class Rotary(nn.Module):
    def __init__(self, wide):
        super().__init__()
        self.register_buffer("rates", 1.0 / 10000 ** (torch.arange(0, wide, 2).float() / wide))
        self.project = nn.Linear(wide, wide)

    def forward(self, x):
        b, n, d = self.project(x).shape
        steps = torch.arange(n, device=x.device)
        mixed = einsum("i,j->ij", steps, self.rates)  # hit
        outer = torch.outer(steps, self.rates)  # hit
        turned = torch.outer(self.rates, steps), torch.outer(steps.float(), self.rates)
        same = einsum("i,j->ij", steps.type_as(self.rates), self.rates), steps[:, None] * self.rates
        pairs = torch.stack((steps, steps.float()))  # hit
        joined = torch.hstack((steps, self.rates))  # hit
        plain = torch.stack((steps, steps * 2)), torch.cat((steps, self.rates))
        mask = x > 0
        filled = mask.masked_fill(x > 1, False)  # hit
        kept = x.masked_fill(mask, 0), mask & (x < 1)
        normed = F.layer_norm(x, (x.shape[-1],)), F.layer_norm(x, x.shape[-1:])  # hit
        fixed = F.layer_norm(x, self.project.bias.shape), F.layer_norm(x, (8,)), F.layer_norm(x, (self.rates.numel() * 2,))
        return mixed, outer, turned, same, pairs, joined, plain, filled, kept, normed, fixed


class Looked(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("table", torch.zeros(64, 4))
        self.embed = nn.Embedding(64, 4)

    def forward(self, ids: torch.Tensor):
        near = torch.arange(8, dtype=torch.int32)
        first = self.table[near], self.table[:, near[:4]]  # hit
        kept = self.table[near.long()], self.table[ids], self.embed(near), near[:2]
        return first, kept


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean, self.total = nn.AvgPool2d(2), nn.AvgPool2d(2, divisor_override=1)

    def forward(self, image):
        return self.mean(image), self.total(image), F.avg_pool2d(image, 3, divisor_override=4)  # hit


class Smooth(nn.Module):
    def __init__(self, size, width, weights):
        super().__init__()
        self.weights = torch.tensor(np.array(weights), dtype=torch.float)
        self.wide = torch.tensor(np.array(weights), dtype=torch.double)
        self.words = nn.Embedding(size, width)
        self.places = torch.arange(0, size)

    def forward(self, x):
        table = self.words(self.places)
        soft = torch.einsum("btn,nd->btd", self.weights[x], table)
        return soft, torch.einsum("btn,nd->btd", self.wide[x], table)  # hit
