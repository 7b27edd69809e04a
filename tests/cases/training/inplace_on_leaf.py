import copy

import torch
from torch import nn
from torch.nn.parameter import Parameter


class Block(nn.Module):
    def __init__(self, n, inplace):
        super().__init__()
        self.relu = nn.ReLU(inplace=True)
        self.kept = nn.ReLU()
        self.maybe = nn.ReLU(inplace=inplace)
        self.conv = nn.Conv2d(n, n, 3)
        self.branch = nn.Sequential(nn.ReLU(inplace=True), nn.Conv2d(n, n, 3))
        self.normed = nn.Sequential(nn.BatchNorm2d(n), nn.ReLU(inplace=True))
        self.scale = nn.Parameter(torch.zeros(n))
        self.frozen = nn.Parameter(torch.zeros(n), requires_grad=False)
        self.conv.weight.normal_()  # hit
        self.conv.weight.data.normal_()
        self.conv.bias[0] = 1  # hit
        self.scale.fill_(1)  # hit
        self.frozen.fill_(1)
        nn.init.zeros_(self.scale)
        with torch.no_grad():
            self.conv.weight.zero_()

    @torch.no_grad()
    def reset(self):
        self.scale.uniform_(-1, 1)


def leaves(values):
    w = torch.zeros(3, requires_grad=True)
    w += 1  # hit
    w[0] = 1
    v = torch.zeros(3)
    v += 1
    u = torch.zeros(3, requires_grad=True)
    u = u * 2
    u += 1
    with torch.no_grad():
        w -= 0.1 * w.grad
    w.data -= 1
    w.grad.zero_()
    return w, v, values


def fuse(conv):
    fused = nn.Conv2d(3, 3, 1).requires_grad_(False).to(conv.weight.device)
    fused.weight.copy_(conv.weight)
    plain = nn.Conv2d(3, 3, 1)
    plain.weight.copy_(conv.weight)
    frozen = nn.Linear(3, 3)
    frozen.requires_grad_(False)
    frozen.weight.copy_(conv.weight)
    return fused, plain, frozen


class Defined(nn.Module):
    """Parameter taken from the module that defines it."""

    def __init__(self, n):
        super().__init__()
        self.scale = Parameter(torch.zeros(n))
        self.scale.fill_(1)  # hit


class Started(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)
        self.start()
        self.start_quietly()
        with torch.no_grad():
            self.start_late()

    def start(self):
        self.fc.bias += 1  # hit

    @torch.no_grad()
    def start_quietly(self):
        self.fc.bias.zero_()

    def start_late(self):
        self.fc.weight.mul_(2)


class Switched(nn.Module):
    def __init__(self, n, spread=False):
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(n))
        if spread:
            self.bias.uniform_(-1, 1)  # hit
        if spread:
            with torch.no_grad():
                self.bias.mul_(2)
        if spread:
            self.bias.data.mul_(2)


def by_hand(batches, lr=0.1):
    w = torch.randn(4, 1, requires_grad=True)
    b = torch.zeros(1, requires_grad=True)
    for x, y in batches:
        (x @ w + b - y).square().mean().backward()
        w -= lr * w.grad  # hit
        b.sub_(lr * b.grad)  # hit
        w.grad.zero_()
        b.grad.zero_()


def by_hand_quietly(batches, lr=0.1):
    w = torch.randn(4, 1, requires_grad=True)
    for x, y in batches:
        (x @ w - y).square().mean().backward()
        with torch.no_grad():
            w -= lr * w.grad
        w.data.add_(1.0)
        w.grad.zero_()


class Critic:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.RMSprop(self.model.parameters(), lr=1e-4)

    def clip(self):
        for weight in self.model.parameters():
            weight.clamp_(-0.01, 0.01)  # hit

    @torch.no_grad()
    def clip_quietly(self):
        for name, weight in self.model.named_parameters():
            weight.clamp_(-0.01, 0.01)

    def train(self, batches):
        for batch in batches:
            self.optimizer.zero_grad()
            self.model(batch).mean().backward()
            self.optimizer.step()
            self.clip()
            self.clip_quietly()


def averaged(batches, model=nn.Linear(4, 1)):
    kept = copy.deepcopy(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in batches:
        optimizer.zero_grad()
        model(batch).mean().backward()
        optimizer.step()
        for mine, other in zip(kept.parameters(), model.parameters()):
            mine.mul_(0.9).add_(other, alpha=0.1)  # hit
        for other in model.parameters():
            other.grad.clamp_(-1, 1)
        for mine, other in zip(kept.parameters(), model.parameters()):
            mine.data.mul_(0.9).add_(other.data, alpha=0.1)


def only_averaged(kept, model):
    for mine, other in zip(kept.parameters(), model.parameters()):
        mine.mul_(0.9).add_(other, alpha=0.1)


def follow_softly(batches, target, model, optimizer):
    for batch in batches:
        optimizer.zero_grad()
        model(batch).mean().backward()
        optimizer.step()
        for mine, other in zip(target.parameters(), model.parameters()):
            mine.detach_()
            mine.copy_(0.9 * mine + 0.1 * other)


def dream(model, image, moved):
    """What `.data` gives needs no gradient, whichever of the two it is read off."""
    for _ in range(3):
        if moved:
            leaf = torch.tensor(image.cuda(), requires_grad=True)
        else:
            leaf = torch.tensor(image, requires_grad=True)
        model(leaf).sum().backward()
        leaf.data.add_(leaf.grad.data * 0.1)
        leaf.add_(leaf.grad * 0.1)  # hit
