"""Sizes worked out in Python, and branches on them: what the new exporters get wrong as well."""

import math

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


class Branch(nn.Module):
    def forward(self, image):
        if image.shape[2] > 80:  # wrong: torch.export onnx onnx-legacy torchscript-trace -> LT104
            image = image * 2
        return image + 1


class Unlike(nn.Module):
    def forward(self, image):
        up = F.interpolate(F.max_pool2d(image, 2), scale_factor=2)
        if up.shape[-2:] != image.shape[-2:]:  # wrong: torch.export onnx onnx-legacy torchscript-trace -> LT104
            up = F.interpolate(up, size=image.shape[-2:])
        return image + up


class Upwards(nn.Module):
    def forward(self, image):
        rows = -(-image.size(2) // 4)  # wrong: onnx onnx-legacy -> LT119
        return image.relu()[:, :, :rows]


class Half(nn.Module):
    def forward(self, image):
        rows = int(image.size(2) / 2)  # wrong: torch.export onnx onnx-legacy torchscript-trace -> LT119
        most = int(image.size(2) * 0.75)  # wrong: torch.export onnx onnx-legacy torchscript-trace -> LT119
        return image.relu()[:, :, :rows], image[:, :, :most]


class Raised(nn.Module):
    """torch.export follows math.ceil, and torch.export.save does not."""

    def forward(self, image):
        rows = math.ceil(image.shape[2] / 4)  # refused: torch.export -> LT119; wrong: onnx-legacy torchscript-trace -> LT119
        return image.relu()[:, :, :rows]


class Product(nn.Module):
    def forward(self, image):
        return image.relu().view(-1, np.prod(image.shape[1:]))  # wrong: onnx-legacy torchscript-trace -> LT101


class Windows(nn.Module):
    def forward(self, image):
        height, width = image.shape[-2:]
        y = image.view(-1, 3, height // 8, 8, width // 8, 8).permute(0, 2, 4, 3, 5, 1)
        y = y.reshape(-1, 8, 8, 3)
        batch = int(y.shape[0] / (height * width / 8 / 8))  # wrong: torch.export onnx onnx-legacy torchscript-trace -> LT119
        return y.view(batch, height // 8, width // 8, 8, 8, -1)


class Crop(nn.Module):
    def forward(self, image):
        more = (F.avg_pool2d(image, 2).size(2) - image.size(2)) // 2  # wrong: onnx onnx-legacy -> LT119
        first = -image.size(2) // 4  # wrong: onnx onnx-legacy -> LT119
        return F.pad(image, (0, 0, more, 0)), image.relu()[:, :, first:]


class Upright(nn.Module):
    """The same as above, in a form that every exporter follows."""

    def forward(self, image):
        height = image.size(2)
        start = -((height + 3) // 4)
        more = -((height - height // 2 + 1) // 2)
        rows = image.relu()[:, :, : (height + 3) // 4]
        return F.pad(image, (0, 0, more, 0)), rows, image[:, :, start:], image / ((height - 100) % 3 + 1)


class Divided(nn.Module):
    def forward(self, image):
        return image * torch.as_tensor(image.shape[2])  # refused: torch.export onnx -> LT101


class Steps(nn.Module):
    def forward(self, image):
        return image + torch.linspace(0, 1, image.size(3))  # refused: torch.export onnx -> LT101


class Wide(nn.Module):
    def forward(self, image):
        return F.avg_pool2d(image, image.shape[2:])  # refused: torch.export onnx onnx-legacy -> LT101


class Loop(nn.Module):
    def forward(self, image):
        return sum(image * i for i in range(image.size(0)))  # refused: torch.export onnx -> LT105; wrong: onnx-legacy torchscript-trace -> LT105
