# profile: torchscript-script
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.relu = nn.ReLU()

    def forward(self, x, *, scale=1.0):  # hit
        return self.relu(self.head(x))

    def head(self, x, n=1):  # hit
        return x * n

    def save(self, path, **options):
        with open(path) as file:
            return file.read(*options)


class DistanceLoss(nn.Module):
    def forward(self, x, target, **options):
        return (x - target).abs()


def save(*args):
    yield args
