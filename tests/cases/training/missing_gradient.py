import torch
import torch.nn.functional as F


class Logistic:
    def __init__(self, wide, rate=0.1):
        self.w = torch.zeros(wide, requires_grad=True)
        self.b = torch.zeros(1, requires_grad=True)
        self.rate = rate

    def fit(self, x, y):
        for _ in range(3):
            guess = torch.sigmoid(x @ self.w + self.b)
            F.binary_cross_entropy(guess, y).backward()
            self.w = self.w - self.rate * self.w.grad  # hit
            self.b = (self.b - self.rate * self.b.grad).detach().requires_grad_()


def fit_well(x, y, rate=0.1):
    w = torch.zeros(1, requires_grad=True)
    for _ in range(3):
        (w * x - y).square().mean().backward()
        w.data -= rate * w.grad
        w.grad.zero_()
    return w


def fit_anew(x, y, rate=0.1):
    w = torch.zeros(1, requires_grad=True)
    for _ in range(3):
        (w * x - y).square().mean().backward()
        w = w - rate * w.grad
        w = w.detach()
        w.requires_grad = True
    return w


def find_saliency(model, image: torch.Tensor, number):
    x = image.unsqueeze(0)
    model(x)[0, number].backward()
    return x.grad.abs().amax(1)[0]  # hit


def find_saliency_well(model, image: torch.Tensor, number):
    x = image.unsqueeze(0).requires_grad_()
    model(x)[0, number].backward()
    return x.grad.abs().amax(1)[0]


def find_saliency_late(model, image: torch.Tensor, number):
    x = image.unsqueeze(0)
    x.requires_grad_()
    model(x)[0, number].backward()
    return x.grad.abs().amax(1)[0]


def find_saliency_by_flag(model, image: torch.Tensor, number):
    x = image.unsqueeze(0)
    x.requires_grad = True
    model(x)[0, number].backward()
    return x.grad.abs().amax(1)[0]


def attack(model, x: torch.Tensor, y, step=0.1):
    moved = x.clone().requires_grad_() / 1.0
    F.cross_entropy(model(moved), y).backward()
    return moved + step * moved.grad.sign()  # hit


def attack_retained(model, x: torch.Tensor, y, step=0.1):
    moved = x.clone().requires_grad_() / 1.0
    moved.retain_grad()
    F.cross_entropy(model(moved), y).backward()
    return moved + step * moved.grad.sign()


def ask(model, x: torch.Tensor):
    moved = x.unsqueeze(0)
    model(moved).sum().backward()
    if moved.grad is not None:
        return moved.grad.abs()
    return None


net, picture, label = torch.nn.Linear(8, 2), torch.rand(8), torch.tensor([0])
find_saliency(net, picture, 1)
find_saliency_well(net, picture, 1)
find_saliency_late(net, picture, 1)
find_saliency_by_flag(net, picture, 1)
attack(net, torch.rand(1, 8), label)
attack_retained(net, torch.rand(1, 8), label)
ask(net, picture)


def penalize(critic, real: torch.Tensor, fake: torch.Tensor, rate):
    mixed = (rate * real + (1 - rate) * fake).detach()
    slope = torch.autograd.grad(critic(mixed).sum(), mixed, create_graph=True)[0]  # hit
    return ((slope.norm(dim=1) - 1) ** 2).mean()


def penalize_well(critic, real: torch.Tensor, fake: torch.Tensor, rate):
    mixed = (rate * real + (1 - rate) * fake).detach().requires_grad_()
    slope = torch.autograd.grad(critic(mixed).sum(), mixed, create_graph=True)[0]
    mine = (rate * real).detach()
    mine.requires_grad = True
    other = torch.autograd.grad(critic(mine).sum(), mine)[0]
    return ((slope.norm(dim=1) - 1) ** 2).mean() + other.sum()
