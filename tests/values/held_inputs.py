"""Inputs that are objects of the project, which hold tensors."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn


class NestedTensor:
    def __init__(self, tensors, mask: Tensor | None):
        self.tensors = tensors
        self.mask = mask

    def decompose(self):
        return self.tensors, self.mask


@dataclass
class Batch:
    image: Tensor
    name: str


class Settings:
    def __init__(self, width):
        self.width = width


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)

    def forward(self, samples: NestedTensor, batch: Batch, settings: Settings):
        x, mask = samples.decompose()
        y = self.conv(x)  # value: tensor[B, 8, samples.tensors.H, samples.tensors.W]
        z = self.conv(batch.image)  # value: tensor[B, 8, batch.image.H, batch.image.W]
        width = settings.width  # value: unknown (?.width)
        return y, z, width, mask


class Either(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)

    def forward(self, samples: NestedTensor):
        if isinstance(samples, torch.Tensor):
            samples = NestedTensor(samples, None)
        return self.conv(samples.tensors)  # value: tensor[B, 8, samples.H, samples.W]
