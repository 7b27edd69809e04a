"""Sizes that Python has read as plain numbers: what only tracers take for constants."""

import math

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


class IntOfSize(nn.Module):
    def forward(self, image):
        batch = int(image.size(0))  # wrong: onnx-legacy torchscript-trace -> LT101
        return image.relu().view(batch, -1)


class IntThenHalf(nn.Module):
    def forward(self, image):
        rows = int(image.size(2)) // 2  # wrong: onnx-legacy torchscript-trace -> LT101
        return image.relu()[:, :, :rows]


class IntOfEach(nn.Module):
    def forward(self, image):
        small = F.avg_pool2d(image, 4)
        size = [int(s) for s in image.shape[-2:]]  # wrong: onnx-legacy torchscript-trace -> LT101
        return image + F.interpolate(small, size=size)


class Length(nn.Module):
    def forward(self, image):
        return image.relu().reshape(len(image), -1)  # wrong: onnx-legacy torchscript-trace -> LT101


class Ceil(nn.Module):
    def forward(self, image):
        rows = math.ceil(image.shape[2] / 4)  # wrong: onnx-legacy torchscript-trace -> LT119
        return image.relu()[:, :, :rows]


class Root(nn.Module):
    def forward(self, image):
        return image / math.sqrt(image.size(2))  # wrong: onnx-legacy torchscript-trace -> LT119


class ShapeTensor(nn.Module):
    def forward(self, image):
        return image / torch.tensor(image.shape).sum()  # wrong: onnx-legacy torchscript-trace -> LT101


class ReadBack(nn.Module):
    def forward(self, image):
        batch = torch.tensor(image.size(0)).item()  # wrong: onnx-legacy torchscript-trace -> LT101
        return image.relu().view(batch, -1)


class ReadBackSides(nn.Module):
    def forward(self, image):
        small = F.avg_pool2d(image, 4)
        height = torch.tensor(image.size(2)).item()  # wrong: onnx-legacy torchscript-trace -> LT101
        width = torch.tensor(image.size(3)).item()  # wrong: onnx-legacy torchscript-trace -> LT101
        return image + F.interpolate(small, size=(height, width))


class Array(nn.Module):
    def forward(self, image):
        shape = np.array(image.shape)  # wrong: onnx-legacy torchscript-trace -> LT101
        return image.relu().view(int(shape[0]), -1)


class Filled(nn.Module):
    def forward(self, image):
        rows = float(image.shape[2])  # wrong: onnx-legacy torchscript-trace -> LT101
        return image.mean((1, 2, 3)) * torch.full((image.shape[0],), rows)


class Window(nn.Module):
    def forward(self, image):
        rows = int(image.size()[2:][0])  # wrong: onnx-legacy torchscript-trace -> LT101
        return F.avg_pool2d(image, (rows, 1))  # wrong: onnx-legacy -> LT101


class SamePad(nn.Module):
    def forward(self, image):
        height = image.shape[2]
        more = max((math.ceil(height / 5) - 1) * 5 + 3 - height, 0)  # wrong: onnx-legacy torchscript-trace -> LT101 LT119
        return F.pad(image, (0, 0, 0, more))


class Square(nn.Module):
    def forward(self, image):
        height, width = image.shape[-2:]
        side = max(height, width)  # wrong: onnx-legacy torchscript-trace -> LT101
        return F.pad(image, (0, side - width, 0, side - height))


class Coordinates(nn.Module):
    def forward(self, image):
        height, width = image.shape[-2:]
        scale = torch.tensor([height, width])  # wrong: onnx-legacy torchscript-trace -> LT101
        return image[:, :2, :, 0].transpose(1, 2) / scale


class ThroughData(nn.Module):
    def forward(self, image):
        batch = image.data.shape[0]  # wrong: onnx-legacy torchscript-trace -> LT101
        return image.relu().view(batch, -1)


class Shuffle(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 1)

    def forward(self, image):
        y = self.conv(image)
        batch, channels, height, width = y.data.size()  # wrong: onnx-legacy torchscript-trace -> LT101
        y = y.view(batch, 2, channels // 2, height, width).transpose(1, 2)
        return y.reshape(batch, -1, height, width)


class Corners(nn.Module):
    def forward(self, image):
        small = F.avg_pool2d(image, 2)[:, :, 3:]
        diff = torch.tensor([image.size(2) - small.size(2)])  # wrong: onnx-legacy torchscript-trace -> LT101
        return F.pad(small, [0, 0, diff // 2, diff - diff // 2])


class Same(nn.Module):
    """What is right however it is traced."""

    def forward(self, image):
        batch, channels, height, width = image.size()
        y = image.relu().view(batch, -1).reshape(image.shape)
        y = y + image.detach().size(0) + torch.arange(height)[:, None] / image.shape[2] ** 0.5
        y = F.pad(y, (0, -width % 4, 0, (height + 3) // 4))[:, :, : height // 2, :width]
        for channel in range(image.size(1)):
            y = y + image[:, channel : channel + 1, : height // 2]
        grid = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")[0]
        y = y + grid[: height // 2] / image.numel() + y.new_zeros(batch, 1, 1, 1)
        if image.dim() == 4 and channels > 2:
            y = y * math.sqrt(channels)
        assert image.shape[2] > 1
        return y + F.interpolate(F.max_pool2d(y, 2), size=y.shape[2:])


class Kept(nn.Module):
    """More that is right however it is traced."""

    def forward(self, image):
        batch, channels, height, width = image.shape
        tokens = image.flatten(2).transpose(1, 2)
        heads = tokens.reshape(batch, height * width, 1, channels).expand(-1, -1, 2, -1)
        peak = image.amax((1, 2, 3), keepdim=True)
        halves = image.split(2, 1)[0].repeat(1, 1, 1, 1)
        return heads.mean(2).view(batch, -1), image / peak, halves / math.prod(image.shape[1:])
