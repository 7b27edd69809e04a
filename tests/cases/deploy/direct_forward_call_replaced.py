from torch import nn


def patched(x):
    net = nn.Linear(1, 1)
    old = net.forward
    net.forward = lambda x: old(x) + 1
    return net.forward(x)
