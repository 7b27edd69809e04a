"""Numbers that torch draws, and devices that are kept: right where they were exported."""

import torch
from torch import nn


class Latent(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = nn.Linear(8, 2)

    def forward(self, features):
        mean = self.mean(features)
        unused = torch.rand(3)
        return mean + torch.randn_like(mean)  # ok: torch.export torchscript-trace -> LT132


class Steps(nn.Module):
    def forward(self, image):
        image = image + torch.zeros_like(image)
        steps = torch.arange(image.size(3), device=image.device)  # ok: torch.export torchscript-trace -> LT133
        shift = image.new_tensor([[0.5]])  # ok: torch.export torchscript-trace -> LT133
        image = image * steps
        return image + shift + image.new_ones(1)


class Drops(nn.Module):
    def forward(self, features):
        if torch.rand(()) < 0.1:  # ok: torchscript-trace -> LT132 refused: torch.export -> LT102
            return features * 2
        return features + 1
