import math

import numpy as np
import torch
import torch.nn.functional as F
from torch import log, nn


def losses(x: torch.Tensor, n: int, dim):
    a = torch.log(F.softmax(x, dim=-1))  # hit
    a = F.softmax(x, dim=-1).log()  # hit
    a = x.softmax(-1).log()  # hit
    p = torch.softmax(x, 1)
    a = torch.log(p)  # hit
    a = torch.log(p + 1e-8)
    a = torch.log(p.clamp(min=1e-8))
    q = torch.softmax(x, 1)
    if n:
        q = q.clamp(min=1e-6)
    a = torch.log(q)
    a = log(torch.sigmoid(x))  # hit
    a = torch.log(1 + x)
    a = torch.log(x + 1)
    a = torch.log(1 + torch.square(x))  # hit
    a = torch.log(x.pow(2) + 1)  # hit
    a = torch.log(1 + n)
    a = math.log(1 + n)
    a = np.log(1 + n)
    a = torch.log(1 + torch.exp(x))  # hit
    a = (1 + x.exp()).log()  # hit
    a = torch.log1p(x)
    a = torch.exp(x) - 1
    a = x.exp() - 1.0
    a = torch.exp(x - n) - 1  # hit
    ratio = x - n
    a = (2 * -ratio).exp() - 1.0  # hit
    a = x.exp() - 2
    a = np.exp(n) - 1
    a = 1 - torch.exp(-x)
    a = torch.log(torch.sum(torch.exp(x), dim=1))  # hit
    a = x.exp().sum(-1).log()  # hit
    a = torch.log(torch.exp(x - x.max()).sum())
    a = torch.log(x.sum())
    a = F.log_softmax(x, -1)
    a = torch.log(*dim)
    return a


class Net(nn.Module):
    def forward(self, x, y):
        a = torch.where(x > 0, x.log(), y)  # hit
        a = torch.where(x > 0, torch.sqrt(x), torch.zeros_like(x))  # hit
        a = torch.where(x != 0, y / x, y)  # hit
        a = torch.where(x > 0, torch.log(x.clamp(min=1e-6)), y)
        a = torch.where(x > 2, x.log(), y)
        a = torch.where(y > 0, x.log(), y)
        a = torch.where(x > 0, x, y)
        a = torch.where(x > 0, torch.log(x + 1e-6), y)
        a = torch.where(x > 0)
        area = (x > 0).sum(-1).float()
        a = torch.where(area > 0, y / area, y)
        count = torch.sum(x > 3).float()
        a = torch.where(count > 0, y / count, y)
        near = torch.cdist(x, y)
        a = torch.where(near > 0, near.sqrt(), near)  # hit
        a = torch.where(x > 0, 2 * torch.sqrt(x) - 1, y)  # hit
        return a


def outside(x, y):
    return torch.where(x > 0, x.log(), y)


def rectified(x: torch.Tensor):
    return x.clamp(min=0) + torch.log(1 + torch.exp(-x.abs())) + torch.log(1 + (-(x**2)).exp())


def total(values):
    return torch.exp(values).sum(dim=1)


class Pieces(nn.Module):
    def __init__(self):
        super().__init__()
        self.squash = nn.Softmax(dim=-1)
        self.take_log = torch.log
        self.fc = nn.Linear(8, 8)

    def forward(self, x, y):
        shares = self.squash(self.fc(x))
        a = self.take_log(shares)  # hit
        a = torch.log(total(x))  # hit
        for each in (x, y):
            a = a + torch.log(input=each.exp() + 1)  # hit
        one = 1.0
        grown = torch.exp(x - y)
        a = a + (grown - one)  # hit
        root = x.sqrt()
        positive = x.gt(0)
        a = a + torch.where(positive, root, y)  # hit
        a = a + root.where(0 < x, y)  # hit
        inverse = torch.div(y, x)
        a = a + torch.where(x != 0, inverse, 0.0)  # hit
        safe = torch.where(x > 0, x, torch.ones_like(x))
        a = a + torch.where(x > 0, safe.sqrt(), y)
        rows = x.argmax(1).float()
        return a + torch.where(rows > 0, rows.sqrt(), rows)


def largest_first(scores):
    top = scores.data.max()
    return torch.log(torch.sum(torch.exp(scores - top), 1, keepdim=True)) + top


class Attend(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        score = self.fc(x)
        weight = torch.exp(score)
        share = weight / weight.sum(-1, keepdim=True)  # hit
        least = torch.exp(score - score.amax(-1, keepdim=True))
        good = least / least.sum(-1, keepdim=True)
        near = torch.exp(-score.abs())
        kernel = near / near.sum(-1, keepdim=True)
        kernel = kernel + torch.log(F.relu(score))  # hit
        kernel = kernel + torch.log(1 + F.relu(score)) + F.relu(score).clamp(min=1e-3).log()
        return share + good + kernel + weight / score.sum(-1, keepdim=True)


def blur(radius, sigma, shift):
    at = torch.arange(-radius, radius + 1, dtype=torch.float)
    kernel = torch.exp(-(at**2) / (2 * sigma**2))
    other = torch.exp(-(at**2) / shift)
    return kernel / kernel.sum(), other / other.sum()  # hit


def distance_loss(pred, target):
    d = ((pred - target) ** 2).sum(-1)
    return torch.where(d > 0, torch.sqrt(d), torch.zeros_like(d)).mean()  # hit


def distance(pred, target):
    d = ((pred - target) ** 2).sum(-1)
    return torch.where(d > 0, torch.sqrt(d), torch.zeros_like(d)).mean()


def judged(logits, y):
    p = torch.sigmoid(logits)
    q = 1 / (1 + torch.exp(-logits))
    a = torch.log(1 - p)  # hit
    b = q.log()  # hit
    return a, b, torch.log(1 - y), torch.log(1 + y)


def helped(batch):
    scores = batch["scores"].softmax(-1)
    return -(scores * scores.log()).sum(-1)  # hit


def contrast(one, other, temperature):
    near = F.normalize(one, dim=1) @ F.normalize(other, dim=1).t() / temperature
    far = one @ other.t() / temperature
    first = torch.log(torch.exp(near).sum(1))
    return first, torch.log(torch.exp(far).sum(1))  # hit


def shifted(scores):
    most = scores.max(1, keepdim=True)[0]
    return most + (scores - most).exp().sum(1, keepdim=True).log()


def assign_softly(x, points, sigma, measure, self):
    at = torch.arange(5)
    kernel = torch.exp((-at.pow(2.0) / (2 * sigma**2)).float())
    near = torch.exp(-pairwise_distance(x, points))
    close = torch.exp(-self.sq_dist[0])
    apart = torch.exp(-torch.cdist(x, points))
    energy = torch.exp(-measure(x, points))
    scaled = torch.exp((x / 2).float())
    return (
        kernel / kernel.sum(),
        near / near.sum(dim=1, keepdim=True),
        close / close.sum(),
        apart / apart.sum(1, keepdim=True),
        energy / energy.sum(1, keepdim=True),
        scaled / scaled.sum(1, keepdim=True),  # hit
    )


def blur_kernel(size, sigma, x):
    square = ((np.arange(size) - size // 2) / sigma) ** 2
    filt = np.exp(-0.5 * square)
    filt /= np.sum(filt)
    near = torch.exp(x.square() * -2.0)
    far = torch.exp(0.5 * x.square())
    return filt, near / near.sum(), far / far.sum()  # hit


def shares(logits, y):
    shares = torch.exp(logits) / torch.exp(logits).sum(dim=1, keepdim=True)  # hit
    top = logits - logits.amax(1, keepdim=True)
    return shares[y], torch.exp(top) / torch.exp(top).sum(1, keepdim=True)


def of_cosines(a, b, labels, margin):
    cosine = F.cosine_similarity(a, b)
    a = F.normalize(a, dim=1)
    similar = a @ a.t()
    far = torch.log(1 + torch.exp(32 * (cosine + margin)))
    near = torch.log(1 + torch.exp(-32 * labels * similar))
    return far + near + torch.log(1 + torch.exp(50 * torch.tanh(b)))


def of_anything(x):
    hidden = torch.relu(x)
    gated = torch.log(1 + torch.exp(hidden * torch.sigmoid(hidden)))  # hit
    small = torch.log(1 + torch.exp(x.clamp(max=20)))
    return gated + small + torch.log(1 + torch.exp(2 * x))  # hit


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)

    def forward(self, s):
        return torch.softmax(self.fc(s), -1)


def reinforce(policy, states, actions, returns):
    chances = policy(states)
    picked = torch.log(chances.gather(1, actions[:, None]))  # hit
    rows = chances[torch.arange(3), actions].log()  # hit
    safe = torch.log(chances.gather(1, actions[:, None]) + 1e-8)
    sums = torch.log(chances.sum(1))
    return picked.sum() + (rows * returns).mean() + safe.sum() + sums.sum()


reinforce(Policy(), torch.randn(3, 4), torch.tensor([0, 1, 0]), torch.randn(3))


def info_nce(q, k, t=0.07):
    e = torch.exp(torch.mm(q, k.t()) / t)
    return -torch.log(e.diag() / e.sum(1)).mean()  # hit


class Sphere(nn.Module):
    def __init__(self, margin):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(8, 4))
        self.bias = nn.Parameter(torch.zeros(1, 1))
        self.margin = margin

    def forward(self, x):
        cos = F.linear(F.normalize(x), F.normalize(self.weight))
        near = 2 * torch.pow((cos + 1) / 2, 3) - 1
        scaled = 32 * (near - self.margin) + self.bias[0][0]
        turned = torch.where(cos > 0, cos * 0.9, cos - 0.1)
        free = 32 * (torch.pow(x, 3) - self.margin)
        a = torch.log(1 + torch.exp(-1.0 * scaled)) + torch.log(1 + torch.exp(turned * 64))
        return a, torch.log(1 + torch.exp(free))  # hit


def density(x: torch.Tensor):
    shifted = -math.log(math.pi) - torch.log(1 + x**2)
    return shifted, torch.log(1 + x**2) * 2  # hit


def clipped(new: torch.Tensor, old: torch.Tensor):
    ratio = torch.exp(new - old)
    share = ((ratio - 1.0).abs() > 0.2).float().mean()
    return share, ratio - 1  # hit


class Cosines(torch.nn.Module):
    def forward(self, one: torch.Tensor, two: torch.Tensor):
        scale = torch.mm(one.norm(dim=1).unsqueeze(1), two.norm(dim=1).unsqueeze(0))
        likes = torch.exp(torch.mm(one, two.t()) / (scale * 0.1))
        return -torch.log(torch.diag(likes) / torch.sum(likes, 1)).mean()


class Products(torch.nn.Module):
    def forward(self, one: torch.Tensor, two: torch.Tensor):
        likes = torch.exp(torch.mm(one, two.t()) / 0.1)
        return -torch.log(torch.diag(likes) / torch.sum(likes, 1)).mean()  # hit


class StableLoss(torch.nn.Module):
    def forward(self, input, target):
        below = -input.abs()
        return input.clamp(min=0) - input * target + (1 + below.exp()).log()


def stable(logits, labels):
    return StableLoss()(logits, labels.float()).mean()


def bell(size, sigma):
    y, x = np.ogrid[-size : size + 1, -size : size + 1]
    wide = np.exp(-(x * x + y * y) / (2.0 * sigma * sigma))
    wide[wide < 1e-9] = 0
    wide /= wide.sum()
    return wide


def no_bell(x: torch.Tensor, sigma: float, shift: float):
    far = torch.exp(-(x * x + x) / (2.0 * sigma * sigma))
    odd = torch.exp(-(x * x) / (2.0 * sigma * shift))
    near = torch.exp(-(x * x + x.square()) / (2.0 * sigma * sigma))
    return near / near.sum(), far / far.sum(), odd / odd.sum()  # hit


class Temperate(torch.nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature

    def forward(self, values, x, y):
        lowered = torch.exp(self.temperature * (values - values.max(0)[0]))
        lowered /= lowered.sum(0)
        divided = torch.exp((values - values.max(0)[0]) / self.temperature)
        divided = divided / divided.sum(0)
        alike = -torch.log(torch.sigmoid(torch.nn.functional.cosine_similarity(x, y, dim=1)))
        raised = torch.exp(self.temperature * values)
        raised = raised / raised.sum(0)  # hit
        return lowered, divided, alike, raised


def reranked(original_dist, index, weights):
    near = np.exp(-original_dist[index])
    far = np.exp(weights[index])
    return near / np.sum(near), far / np.sum(far)  # hit


def kernel_of(radius, sigma):
    at = np.arange(-radius, radius + 1)
    near = np.exp(-np.power(at, 2) / (2 * sigma * sigma))
    far = np.exp(-np.power(at, 3) / (2 * sigma * sigma))
    return near / near.sum(), far / far.sum()  # hit


def attend(q, k, v):
    weight = torch.exp(q @ k.transpose(-1, -2))
    return weight / weight.sum(-1, keepdim=True) @ v  # hit


def window_of(kernel_size, width, offset):
    at = torch.meshgrid(torch.arange(kernel_size), torch.arange(kernel_size), indexing="ij")
    away = torch.stack(at, 0).float()
    near = torch.exp(-((away - kernel_size // 2) ** 2).sum(0) / kernel_size / width)
    far = torch.exp(-((away - kernel_size // 2) ** 2).sum(0) / offset)
    return near / near.sum(), far / far.sum()  # hit


def gaussian(size, sigma):
    x, y = np.mgrid[-size : size + 1, -size : size + 1]
    g = np.exp(-((x**2 + y**2) / (2.0 * sigma**2)))
    return g / g.sum()
