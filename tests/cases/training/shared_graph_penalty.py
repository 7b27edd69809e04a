"""Gradients of inputs are asked for, and no weight is kept from its own."""

import torch
from torch import nn


def train(batches, critic=nn.Linear(4, 1), maker=nn.Linear(2, 4)):
    one = torch.optim.SGD(critic.parameters(), lr=0.1)
    two = torch.optim.SGD(maker.parameters(), lr=0.1)
    for real, noise in batches:
        real.requires_grad_()
        noise.requires_grad = True
        fake = maker(noise)
        one.zero_grad()
        (critic(fake).mean() - critic(real).mean()).backward()
        one.step()
        two.zero_grad()
        (-critic(fake).mean()).backward()  # hit
        two.step()
