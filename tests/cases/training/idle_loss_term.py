import torch
from torch import autograd, nn


def penalise(judge, real, fake):
    share = torch.rand(real.size(0), 1)
    x = (share * real + (1 - share) * fake).requires_grad_(True)
    out = judge(x)
    slope = torch.autograd.grad(outputs=out, inputs=x, grad_outputs=torch.ones_like(out))[0]  # hit
    return ((slope.norm(2, dim=1) - 1) ** 2).mean()


def penalise_well(judge, real, fake):
    x = (0.5 * real + 0.5 * fake).requires_grad_(True)
    out = judge(x)
    slope = autograd.grad(out, x, torch.ones_like(out), create_graph=True)[0]
    return ((slope.norm(2, dim=1) - 1) ** 2).mean()


def weigh(judge, x):
    first, second = judge(x).mean(), judge(-x).square().mean()
    slope = autograd.grad(first, judge.weight, retain_graph=True)[0]
    return first + slope.norm() * second


def step_inside(judge, x, y):
    weight, bias = judge.weight, judge.bias
    loss = (x @ weight.t() + bias - y).square().mean()
    slope = autograd.grad(loss, weight)[0]
    return (x @ (weight - 0.1 * slope).t() - y).square().mean()


def train(judge, optimizer, real, fake):
    optimizer.zero_grad()
    loss = judge(fake).mean() - judge(real).mean() + 10.0 * penalise(judge, real, fake)
    loss.backward()
    optimizer.step()


def train_well(judge, optimizer, real, fake):
    optimizer.zero_grad()
    loss = judge(fake).mean() - judge(real).mean() + 10.0 * penalise_well(judge, real, fake)
    loss = loss + weigh(judge, real) + step_inside(judge, real, fake)
    loss.backward()
    optimizer.step()


net = nn.Linear(2, 1)
adam = torch.optim.Adam(net.parameters())
train(net, adam, torch.randn(4, 2), torch.randn(4, 2))
train_well(net, adam, torch.randn(4, 2), torch.randn(4, 2))
