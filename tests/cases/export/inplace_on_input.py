import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.act = nn.ReLU(inplace=True)

    def forward(self, image, mask=None, *, inputs):
        image /= 255.0  # hit
        image[:, 0] = 0  # hit
        image.clamp_(0, 1)  # hit
        image.view(-1)[0] = 1  # hit
        F.relu(image, inplace=True)  # hit
        x = self.conv(image)
        x += 1
        x = self.act(x)
        image.requires_grad_()
        kept = image.clone()
        kept += 1
        image = image * 2
        image -= 1
        return x + kept

    def preprocess(self, image):
        image /= 255
        return image


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = nn.ReLU(inplace=True)

    def forward(self, x, shortcut):
        x += shortcut
        return self.act(x)


class Loss(nn.Module):
    def forward(self, pred, mask):
        mask[mask == 255] = 0
        return (pred - mask).abs().mean()


def forward(image):
    image /= 255
    return image


class Table(nn.Module):
    def forward(self, inputs):
        inputs["x"] = inputs["x"] * 2
        return inputs
