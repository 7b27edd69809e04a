import torch
import torch.nn.functional as F
from torch import nn


class Normed(nn.Module):
    def __init__(self, eps=1e-12):
        super().__init__()
        self.eps = eps
        self.wide = 1e-5
        self.linear = nn.Linear(8, 8)

    def forward(self, x, adjacent):
        kept = x / (x.norm(dim=-1, keepdim=True) + self.eps)  # hit
        root = x / torch.sqrt(x.pow(2).sum(-1, keepdim=True) + 1e-10)  # hit
        called = x.div(x.sum(1, keepdim=True).add(1e-8))  # hit
        turned = torch.rsqrt(x.var(-1, keepdim=True) - -1e-8)  # hit
        degree = 1 / (adjacent.sum(-1) + 1e-10)  # hit
        total = x.abs().sum(-1, keepdim=True)
        total += 1e-10  # hit
        over = x / total
        large = x / (x.std() + 1e-6), x / (x.std() + self.wide), torch.log(x.abs() + 1.1e-8)
        above = x / (torch.exp(x) + 1e-10), torch.log(torch.sigmoid(x) + 1e-10)
        unharmed = x + 1e-10, 1e-10 / x, (x + 1e-10) / 2, x * 1e-10, torch.sqrt(x.abs() + 1e-12)
        vector = x / (x.abs() + torch.tensor([1e-10]))
        return kept, root, called, turned, degree, over, large, above, unharmed, vector


class Features(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8)
        self.weight = nn.Parameter(torch.ones(8, 8))

    def forward(self, x, mask):
        x = self.linear(x)
        usual = x / (x.norm(dim=-1, keepdim=True) + 1e-12), x / (x.std(-1, keepdim=True) + 1e-9)
        scale = torch.rsqrt(self.weight.pow(2).sum(0) + 1e-8)
        share = torch.log(F.softmax(x, -1) + 1e-9)
        hidden = torch.log(F.softmax(x.masked_fill(mask, -1e9), -1) + 1e-9)  # hit
        sparse = F.relu(x)
        norm = sparse / (sparse.sum(-1, keepdim=True) + 1e-10)  # hit
        other = torch.log(1 - torch.sigmoid(x) + 1e-10)  # hit
        code = F.one_hot(x.argmax(-1), 8).float().mean(0)
        spread = (code * torch.log(code + 1e-10)).sum()  # hit
        return usual, scale, share, hidden, norm, other, spread


class Nearest(nn.Module):
    def forward(self, places, others):
        far, at = torch.cdist(places, others).sort(dim=-1)
        near = 1.0 / (far[:, :, :3] + 1e-8)  # hit
        apart = (places - others).pow(2).sum(-1)
        weight = 1 / (apart + 1e-8)
        return near / near.sum(-1, keepdim=True), at, weight


def measure(x):
    return x / (x.norm() + 1e-12)


class Segmented(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)

    def pixel_acc(self, out, seen):
        valid = (seen >= 0).long()
        found = torch.sum(valid * (out.argmax(1) == seen).long())
        return found.float() / (torch.sum(valid).float() + 1e-10)

    def forward(self, image, seen):
        out = self.conv(image)
        return out, self.pixel_acc(out, seen)


class Shared(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)

    def share(self, out, seen):
        valid = (seen >= 0).long()
        found = torch.sum(valid * (out.argmax(1) == seen).long())
        return found.float() / (torch.sum(valid).float() + 1e-10)  # hit

    def forward(self, image, seen):
        out = self.conv(image)
        return out, self.share(out, seen)
