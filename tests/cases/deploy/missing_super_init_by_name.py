import torch
from torch import nn


class BoxLoss(nn.Module):
    def __init__(self, weight):
        self.weight = weight

    def forward(self, out, boxes):
        return self.weight * (out - boxes).abs().mean()


class BoxHead(nn.Module):
    def __init__(self, weight):  # hit
        self.weight = weight

    def forward(self, out):
        return self.weight * out


def train(model, batches, optimizer):
    criterion = BoxLoss(0.5)
    for image, boxes in batches:
        optimizer.zero_grad()
        criterion.forward(model(image), boxes).backward()
        optimizer.step()
