# profile: torchscript-script
import torch
from einops import rearrange
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        x = rearrange(x, "b n c -> b c n")  # hit
        return self.head(x)

    def head(self, x):
        return x.view(*x.shape[1:])  # hit

    def save(self, path, *options):
        with open(path) as file:
            return file.read(*options)


class DistanceLoss(nn.Module):
    def forward(self, x, target):
        return (x - target).view(*x.shape).abs()
