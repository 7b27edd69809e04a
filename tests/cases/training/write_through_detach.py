import copy

import torch


def copies(out):
    c = out.detach()
    c[c < 0] = 0  # hit
    d = out.detach().clone()
    d[d < 0] = 0
    total = out.sum() + c.sum() + d.sum()
    last = total.detach()
    last.zero_()
    return last


def freed(out):
    with torch.no_grad():
        c = out.detach()
        c.zero_()
    return out.sum()


def known():
    x = torch.ones(3, requires_grad=True) * 2
    y = x.detach()
    y.view(-1)[0] = 5  # hit
    return x * y


def either(out, flag):
    c = out.detach()
    if flag:
        c.zero_()
        return c
    return out * 2


class Smooth(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(3, 3)

    def forward(self, x):
        w = self.fc.weight.detach()
        w.clamp_(0, 1)
        return self.fc(x)


def average(targets, sources, rate):
    for target, source in zip(targets, sources):
        target.detach().mul_(rate).add_(source, alpha=1 - rate)
    return [target * 2 for target in targets]


def flatten(loss, weights):
    return torch.cat([grad.view(-1) for grad in torch.autograd.grad(loss, weights)])


def curvature(loss, weights, rounds, way):
    for _ in range(rounds):
        found = flatten(loss * way.sum(), weights).detach()
        found /= 4
        way = way + found
    return way


def targets_of(model, x, known):
    out = model(x).relu()
    wanted = copy.deepcopy(out.detach())
    wanted[0] = known
    same = out.detach()
    same[0] = known  # hit
    return out * 2, wanted, same
