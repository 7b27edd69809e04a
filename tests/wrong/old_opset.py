"""Resizes that the legacy exporter writes wrongly at opset 10, and those that it does not."""

import torch.nn.functional as F
from torch import nn


class Bilinear(nn.Module):
    def forward(self, image):
        return F.interpolate(image, scale_factor=2.0, mode="bilinear", align_corners=False)  # wrong: onnx-legacy -> LT117


class Halved(nn.Module):
    def forward(self, image):
        return F.interpolate(image, scale_factor=0.25, mode="bilinear")  # wrong: onnx-legacy -> LT117


class ToSize(nn.Module):
    def forward(self, image):
        small = F.avg_pool2d(image, 4)
        return image + F.interpolate(small, size=image.shape[2:], mode="bilinear")  # wrong: onnx-legacy -> LT117


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.Upsample(scale_factor=2, mode="bilinear")  # wrong: onnx-legacy -> LT117

    def forward(self, image):
        return self.up(image)


class Linear(nn.Module):
    def forward(self, image):
        return F.interpolate(image.mean(3), scale_factor=2.0, mode="linear")  # wrong: onnx-legacy -> LT117


class Trilinear(nn.Module):
    def forward(self, image):
        volume = image[:, :, None].repeat(1, 1, 2, 1, 1)
        return F.interpolate(volume, scale_factor=2.0, mode="trilinear")  # wrong: onnx-legacy -> LT117


class Nearest(nn.Module):
    def forward(self, image):
        return F.interpolate(image, scale_factor=2.0), F.interpolate(image, scale_factor=1.7)
