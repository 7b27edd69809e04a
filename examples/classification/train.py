"""Trains the classifier on several processes."""

import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from net import SlimNet


def train(loader, epochs, device):
    model = nn.SyncBatchNorm.convert_sync_batchnorm(SlimNet()).to(device)
    model = DistributedDataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for _ in range(epochs):
        model.train()
        for images, labels in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(images.to(device)), labels.to(device))
            loss.backward()
            optimizer.step()
    torch.save(model.module.state_dict(), "slim.pt")
