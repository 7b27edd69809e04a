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
