import cv2
import numpy as np
import torch
from PIL import Image
from torch import nn


def scaled(path):
    image = cv2.imread(path)
    image = cv2.resize(image, (224, 224)).astype(np.float32) / 255
    return torch.from_numpy(image).reshape(3, 224, 224).unsqueeze(0)  # hit


def batched(path):
    image = np.asarray(Image.open(path).convert("RGB"))
    return torch.from_numpy(image.reshape(1, 3, 64, 64))  # hit


def turned(path):
    image = cv2.imread(path)
    image = image.transpose(2, 0, 1)
    return torch.from_numpy(image).reshape(1, 3, 224, 224)


def rows(path):
    image = cv2.imread(path)
    return torch.from_numpy(image).reshape(-1, 3), image.reshape(224, 224, 3)


def given(image):
    return torch.from_numpy(image).view(3, 64, 64)


class Turns(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.maps = torch.nn.Conv2d(3, 8, 3, padding=1)
        self.rnn = torch.nn.GRU(8, 8, batch_first=True)

    def forward(self, x):
        x = self.maps(x)
        b, c, h, w = x.shape
        last = x.view(b, h, w, c)  # hit
        turned = x.permute(0, 2, 3, 1).reshape(b, h, w, c)
        rows = x.flatten(2).transpose(1, 2)
        back = rows.reshape(b, h, w, c)
        again = rows.reshape(b, c, h, w)
        one = x[:, :1].view(b, h, w, 1)
        same = x.view(b, c, h * w).view(b, c, h, w)
        return last, turned, back, again, one, same


class Relative(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.maps = torch.nn.Conv2d(3, 8, 3, padding=1)

    def forward(self, x):
        scores = self.maps(x)
        return self.rel_shift(scores), self.slid(scores)

    def rel_shift(self, scores):
        b, h, rows, columns = scores.shape
        return scores.reshape(b, h, columns, rows)

    def slid(self, scores):
        b, h, rows, columns = scores.shape
        return scores.view(b, h, columns, rows)[:, :, 1:].reshape(b, h, rows, columns - 1)

    def mixed(self, scores):
        b, h, rows, columns = scores.shape
        return scores.view(b, h, columns, rows)


class Normed(nn.Module):
    """The way back is right; the way there mixes what is normed."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(16, 32)
        self.bn = nn.BatchNorm1d(32)

    def forward(self, x):
        b, n, c = x.shape
        y = self.fc(x)
        y = self.bn(y.view(-1, y.size(2), y.size(1)))  # hit
        y = y.view(-1, y.size(2), y.size(1))
        return y
