"""What exporters take for given of sizes far from those that a model is tried at."""

import torch
import torch.nn.functional as F
from torch import nn


class PaddedToFit(nn.Module):
    def forward(self, image):
        height = image.shape[2]
        if height < 300:  # wrong: torch.export onnx -> LT104
            image = F.pad(image, (0, 0, 0, 300 - height))
        return image.relu()


class CutShort(nn.Module):
    def forward(self, image):
        return image.relu()[:, :, :400]  # wrong: torch.export -> LT135


class CutShortBesideDevice(nn.Module):
    def forward(self, image):
        image = image + torch.arange(image.size(3), device=image.device)  # wrong: torch.export -> LT133
        return image.relu()[:, :, :400]  # wrong: torch.export -> LT135


class Particular(nn.Module):
    def forward(self, image):
        if image.shape[2] > 400 or image.shape[3] % 4:
            raise ValueError("neither that high nor that wide")
        return image.relu()


class Halves(nn.Module):
    def forward(self, image):
        left, right = image.chunk(2, 3)  # refused: onnx -> LT159
        return left.sum(3) - right.mean(3)
