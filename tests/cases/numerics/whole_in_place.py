import cv2
import numpy as np
import torch
from torch import nn


def pictures(path, x):
    image = cv2.imread(path)
    image /= 255.0  # hit
    other = cv2.imread(path).astype(np.float32)
    other /= 255.0
    tensor = torch.from_numpy(cv2.imread(path))
    tensor /= 255  # hit
    tensor = tensor.float()
    tensor /= 255
    return image, other, tensor


def counts(x):
    places = torch.arange(4)
    places *= 2
    places += 1
    places //= 2
    places *= 0.5  # hit
    found = x.argmax(1)
    found += torch.randn(3)  # hit
    found = found / 2
    found /= 2
    label = x.long()
    label -= 1
    label.div_(2)  # hit
    label.div_(2, rounding_mode="floor")
    label.mul_(0.5)  # hit
    scores = torch.zeros(3)
    scores /= 2
    return places, found, label, scores


class Scaled(nn.Module):
    def forward(self, x):
        x /= 2
        return x


class Frequencies(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.frequency = nn.Parameter(torch.empty(n))
        with torch.no_grad():
            torch.arange(1, n + 1, out=self.frequency).mul_(3.14)
            torch.arange(1, 5).mul_(3.14)  # hit
