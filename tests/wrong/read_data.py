"""Data and rows of tensors that Python has read: what tracers take for constants."""

import torch
from torch import nn


class Peak(nn.Module):
    def forward(self, image):
        return image / image.max().item()  # wrong: onnx-legacy torchscript-trace -> LT103


class Sign(nn.Module):
    def forward(self, image):
        if image.sum() > 100:  # wrong: onnx-legacy torchscript-trace -> LT102
            image = -image
        return image + 1


class Rows(nn.Module):
    def forward(self, image):
        return torch.stack([row * 2 for row in image])  # wrong: onnx-legacy torchscript-trace -> LT105


class Counted(nn.Module):
    def forward(self, image):
        total = image[:, :, 0]
        for row in range(image.size(2)):  # wrong: onnx-legacy torchscript-trace -> LT105
            total = total + image[:, :, row] * row
        return total


class FilledInLoop(nn.Module):
    def forward(self, image):
        out = torch.zeros_like(image)
        for number in range(image.size(0)):  # wrong: onnx-legacy torchscript-trace -> LT105
            out[number] = image[number] * 2
        return out
