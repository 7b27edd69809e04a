"""Writes through views and through `.data`."""

import torch
from torch import nn


class View(nn.Module):
    def forward(self, image):
        y = image * 2
        v = y.view(y.size(0), -1)
        v.mul_(2)  # wrong: onnx-legacy -> LT131
        return y + 1


class Chunk(nn.Module):
    def forward(self, image):
        y = image * 2
        a, b = y.chunk(2, 2)
        a.mul_(2)  # wrong: onnx-legacy -> LT131
        return y + 1


class Flattened(nn.Module):
    def forward(self, image):
        y = image * 2
        y.flatten(1).relu_()  # wrong: onnx-legacy -> LT131
        return y


class Transposed(nn.Module):
    def forward(self, image):
        y = image * 2
        y.transpose(1, 2).mul_(2)  # wrong: onnx-legacy -> LT131
        return y + 1


class Permuted(nn.Module):
    def forward(self, image):
        y = image * 2
        p = y.permute(0, 2, 3, 1)
        p[..., 0] = 0  # wrong: onnx-legacy -> LT131
        return {"y": y}  # refused: torchscript-trace -> LT114


class Viewed(nn.Module):
    def forward(self, image):
        y = image * 2
        y.view(y.size(0), 3, -1)[:, 0] = 0  # wrong: onnx-legacy -> LT131
        return y + 1


class Data(nn.Module):
    def forward(self, image):
        y = image * 2
        y.data[:, 0] = 0  # wrong: onnx-legacy torchscript-trace -> LT131
        return y + 1


class Followed(nn.Module):
    """Writes that every exporter keeps."""

    def forward(self, image):
        y = image * 2
        y[:, 0] = 0
        y[:, :, ::2] = 0
        y[..., 0] = y[..., 0] * 2
        y[:, 0].add_(1)
        y[:, :2] += 1
        y[0] = 0
        out = image + 1
        out += y
        out.relu_()
        v = out.view(out.size(0), -1)
        v = nn.functional.relu(v, inplace=True)
        w = (image * 3)[:, 0]
        w += 1
        shifted = torch.zeros_like(y)
        shifted[:, :-1, :2] = y[:, 1:, :2]
        return v * 2, w, torch.where(y > 0, y, image), shifted
