"""What is frozen is a part of no graph."""

import torch
from torch import nn


def train(batches, body=nn.Linear(4, 4), one=nn.Linear(4, 1), two=nn.Linear(4, 1)):
    body.requires_grad_(False)
    optimizer = torch.optim.SGD([*one.parameters(), *two.parameters()], lr=0.1)
    for batch in batches:
        shared = body(batch)
        optimizer.zero_grad()
        one(shared).mean().backward()
        two(shared).mean().backward()
        optimizer.step()
