import torch
from torch import nn


def follow(net, batches, optimizer, logs):
    for x in batches:
        net(x).mean().backward()
        optimizer.step()
        optimizer.zero_grad()
        total = 0.0
        for name, p in net.named_parameters():
            total += p.grad.norm().item() ** 2  # hit
        logs.append(net.head.weight.grad.abs().mean())


def guarded(net, batches, optimizer):
    for x in batches:
        optimizer.zero_grad()
        for p in net.parameters():
            if p.grad is not None:
                p.grad.clamp_(-1, 1)
        net(x).mean().backward()
        print(net.head.weight.grad.norm())
        optimizer.step()


def attack(net, x, optimizer):
    optimizer.zero_grad()
    adversarial = x + 0.1 * x.grad.sign()
    run(net, adversarial)
    return net.head.bias.grad.norm()


def run(net, x):
    net(x).mean().backward()


def two(one, other, first, second):
    first.zero_grad()
    print(other.fc.weight.grad.norm())
    second.zero_grad()
    return one


def kept(net, optimizer):
    optimizer.zero_grad(set_to_none=False)
    print(net.fc.weight.grad.norm())
    optimizer.zero_grad()
    print(net.fc.weight.grad.norm())  # hit
