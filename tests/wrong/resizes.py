"""Resizes and pools that the new ONNX exporter gets wrong at some sizes."""

import torch.nn.functional as F
from torch import nn


class Odd(nn.Module):
    def forward(self, image):
        return F.interpolate(image, scale_factor=0.5, mode="bilinear", antialias=True)  # wrong: onnx -> LT130


class Aligned(nn.Module):
    def forward(self, image):
        return F.interpolate(image, (33, 33), mode="bilinear", antialias=True, align_corners=True)  # wrong: onnx -> LT130


class Nearest(nn.Module):
    def forward(self, image):
        return F.interpolate(image, scale_factor=1.7, mode="nearest-exact")  # wrong: onnx -> LT130


class Area(nn.Module):
    def forward(self, image):
        return F.interpolate(image, size=(8, 8), mode="area")  # wrong: onnx -> LT130


class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        self.average = nn.AdaptiveAvgPool2d(8)
        self.largest = nn.AdaptiveMaxPool2d(8)
        self.line = nn.AdaptiveAvgPool1d(8)
        self.volume = nn.AdaptiveMaxPool3d(2)

    def forward(self, image):
        volume = self.volume(image[:, :, None].repeat(1, 1, 4, 1, 1))  # wrong: onnx -> LT116
        average = self.average(image)  # wrong: onnx -> LT116
        largest = self.largest(image)  # wrong: onnx -> LT116
        line = self.line(image.mean(3))  # wrong: onnx -> LT116
        return average, largest, line, volume


class Several(nn.Module):
    def forward(self, image):
        return (
            F.interpolate(image, scale_factor=0.5, mode="bicubic", antialias=True),  # wrong: onnx -> LT130
            F.adaptive_avg_pool2d(image, (1, 4)),  # wrong: onnx -> LT116
            F.adaptive_avg_pool2d(image, 3),  # wrong: onnx -> LT116
            F.adaptive_avg_pool1d(image.mean(3), 3),  # wrong: onnx -> LT116
            F.adaptive_max_pool1d(image.amax(3), 8),  # wrong: onnx -> LT116
        )


class Right(nn.Module):
    """Resizes and pools that are right at every size."""

    def forward(self, image):
        size = image.shape[2] // 2, image.shape[3] // 2
        yield_ = [
            F.interpolate(image, size=size, mode="bilinear", antialias=True),
            F.interpolate(image, size=(11, 13), mode="bicubic", antialias=True),
            F.interpolate(image, scale_factor=2, mode="nearest-exact"),
            F.interpolate(image, scale_factor=2, mode="bilinear", align_corners=True),
            F.interpolate(image, scale_factor=1.7, mode="bicubic"),
            F.interpolate(image, scale_factor=0.5, mode="bilinear", align_corners=False),
            F.adaptive_avg_pool2d(image, 1),
            F.adaptive_max_pool2d(image, (1, 1)),
            image.mean((-2, -1), keepdim=True),
        ]
        return tuple(yield_)


class RightAtOneSize(nn.Module):
    """Pools of what never varies."""

    def forward(self, image):
        fixed = F.interpolate(image, size=(14, 16))
        return F.adaptive_avg_pool2d(fixed, 7), F.adaptive_avg_pool2d(fixed, (6, 1)), F.adaptive_max_pool2d(fixed, (1, 4))
