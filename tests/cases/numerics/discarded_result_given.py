import torch
from torch import nn


def clean(x, bad, batch, box):
    x.masked_fill(bad, 0.0)  # hit
    x.clamp(0, 1)  # hit
    x.clamp_(0, 1)
    x = x.clamp(0, 1)
    batch.shuffle()
    box.clip(0, 1)
    torch.nan_to_num(x)  # hit
    return x


class Sliding(nn.Module):
    """A model that is given, and no tensor."""

    def forward(self, image, model):
        return self.process(image, model)

    def process(self, data, func):
        func.eval()
        func.to(data.device)
        return func.module(data)
