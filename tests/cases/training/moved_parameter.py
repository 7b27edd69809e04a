import torch
from torch import nn
from torch.nn import Parameter


class Weights(nn.Module):
    def __init__(self, device, start):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(4)).to(device)  # hit
        self.shift = Parameter(torch.zeros(4), requires_grad=True).cuda()  # hit
        alpha = nn.Parameter(start).half()  # hit
        self.alpha = alpha
        self.mask = nn.Parameter(torch.ones(4, device=device))
        self.bias = nn.Parameter(torch.zeros(4).to(device))
        self.gate = nn.Parameter(torch.zeros(4)).to(torch.float32)
        self.gain = nn.Parameter(torch.zeros(4)).type(torch.FloatTensor)
        self.fast = nn.Parameter(torch.zeros(4)).type(torch.cuda.FloatTensor)  # hit
        self.fine = nn.Parameter(torch.zeros(4)).type(torch.DoubleTensor)  # hit
        self.there = nn.Parameter(torch.rand(4).to(device), requires_grad=True).to(device)
        self.made = nn.Parameter(torch.rand(4, device=device)).to(device)
        self.wide = nn.Parameter(torch.rand(4).to(device)).to(torch.float64)  # hit
        self.buffer = torch.zeros(4).to(device)
        self.to(device)

    def forward(self, x):
        self.bias = self.bias.to(x.device)  # hit
        return x * self.scale + self.shift


def attack(model, image, device):
    delta = torch.zeros(3, requires_grad=True).to(device)  # hit
    model(image + delta).sum().backward()
    return delta.grad


def attack_asked(model, image, device):
    delta = torch.zeros(3).to(device).requires_grad_()
    model(image + delta).sum().backward()
    return delta.grad


def attack_kept(model, image, device):
    delta = torch.zeros(3, requires_grad=True).cuda()
    delta.retain_grad()
    model(image + delta).sum().backward()
    return delta.grad


def only_read(model, device):
    weight = nn.Parameter(torch.ones(3)).to(device)
    return model(weight)


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.small = nn.Parameter(torch.ones(4)) * 0.1  # hit
        self.good = nn.Parameter(torch.ones(4) * 0.1)
        self.start = (self.good * 2).detach()

    def forward(self, x):
        return x * self.small * self.good


class Kernel(nn.Module):
    def __init__(self, device):
        super().__init__()
        self.edges = nn.Parameter(torch.ones(3), requires_grad=False).to(device)

    def forward(self, x):
        return x * self.edges


class Skip(nn.Module):
    def __init__(self, n, other):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(n, dtype=torch.float32)).to(torch.float32)
        self.loss = nn.Parameter(torch.ones(n, dtype=torch.float32)).to(torch.float16)  # hit
        self.like = nn.Parameter(torch.ones(n, dtype=torch.float32)).to(other)  # hit

    def forward(self, x):
        return x * self.gain * self.loss * self.like
