# profile: onnx
from torch import nn


class Sides(nn.Module):
    """Sizes that are declared dynamic are outputs of the model."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)

    def forward(self, image):
        height, width = image.shape[-2:]
        return self.conv(image), height, width // 2, {"sides": tuple(image.shape[2:])}


class Shape(nn.Module):
    """The channels are as many in all runs."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)

    def forward(self, image):
        found = self.conv(image)
        return found, found.shape  # hit
