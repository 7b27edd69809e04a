"""What backward is called of is one number, be the script followed that far or not."""

import torch
from losses import fuse, per_sample
from torch import nn

net = nn.Linear(4, 4)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
total, parts = 0.0, 0.0


def read_data(reader):
    for images, labels in reader:
        first, loss = fuse(net(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss.data[0]  # hit
        yield first.data[0]


def read_retained(reader):
    for images, labels in reader:
        loss = fuse(net(images), labels)
        loss.backward(retain_graph=True)
        if labels is not None:
            print(loss.data[0])  # hit


def read_samples(reader):
    for images, labels in reader:
        loss = per_sample(net(images), labels)
        loss.backward(torch.ones(4))
        yield loss.data[0]
        loss = per_sample(net(images), labels)
        yield loss.data[0]
        other = fuse(net(images), labels)
        if labels is None:
            other.backward()
        yield other.data[0]  # hit
