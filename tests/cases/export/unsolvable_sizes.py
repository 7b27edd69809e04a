# profile: torch.export onnx
import torch
import torch.nn.functional as F
from torch import nn


class Rounded(nn.Module):
    """Up, and then down."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 4, 7, stride=2, padding=3)
        self.down = nn.MaxPool2d(3, stride=2, ceil_mode=True)
        self.twice = nn.ConvTranspose2d(4, 4, 2, stride=2)

    def forward(self, image):
        high = self.stem(image)
        low = self.twice(self.down(high))
        summed = high + low  # hit
        again = torch.add(low, high)  # hit
        wide = torch.cat([high, low], 3)  # hit
        return summed * again, wide, torch.cat([low, high], dim=1)  # hit


class Resized(nn.Module):
    """Brought to the size of the other, or one beside the other along the axis that differs."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv1d(3, 4, 3, stride=2, padding=1)
        self.down = nn.MaxPool1d(2)

    def forward(self, series):
        high = self.stem(series)
        low = F.interpolate(self.down(high), size=high.shape[-1])
        apart = F.interpolate(self.down(high), scale_factor=2)
        return high + low, torch.cat([high, apart], 2), torch.cat([high, apart], -1)


class Alike(nn.Module):
    """Down alone, up alone, none at all, and nothing added."""

    def __init__(self):
        super().__init__()
        self.even = nn.Conv2d(3, 4, 4, stride=2, padding=1)
        self.odd = nn.Conv2d(3, 4, 3, stride=2, padding=1)
        self.inner = nn.Conv2d(3, 4, 3, stride=2)
        self.down, self.up = nn.MaxPool2d(2), nn.MaxPool2d(3, 2, 1)
        self.twice = nn.Upsample(scale_factor=2)

    def forward(self, image):
        even, odd = self.even(image), self.odd(image)
        deep = self.down(self.down(even))
        whole = image + self.twice(self.down(image))
        inner = self.inner(image)
        inner = inner + self.twice(self.down(inner))
        odd = odd + self.twice(self.up(odd))
        return even + self.twice(self.down(even)) + self.twice(self.twice(deep)), odd, whole, inner


class Folded(nn.Module):
    """A view asks that the size divides, which is noted first."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 4, 3, stride=2, padding=1)
        self.norm = nn.BatchNorm2d(4)
        self.down, self.twice = nn.MaxPool2d(2), nn.Upsample(scale_factor=2)

    def forward(self, image):
        high = self.stem(image)
        b, c, h, w = high.shape
        parts = high.reshape(b, c, h // 2, 2, w // 2, 2).relu()
        whole = parts.reshape(b, c, h // 2 * 2, w // 2 * 2)
        low = torch.relu(self.norm(self.twice(self.down(high))))
        return torch.cat((high, whole), 1), torch.cat((high, low), 1)  # hit
