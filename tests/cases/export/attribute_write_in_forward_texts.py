# profile: torchscript-trace
import torch
from torch import nn


class Masked(nn.Module):
    """A tracer has sizes as numbers, and keeps the mask of its example."""

    def __init__(self):
        super().__init__()
        self.masks = {}

    def forward(self, x):
        height, width = x.shape[-2:]
        key = "%s-%s" % (height, width)
        if key not in self.masks:
            self.masks[key] = torch.ones(height, width)  # hit
        return x * self.masks[key]
