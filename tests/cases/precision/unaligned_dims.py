import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.stem = nn.Conv2d(3, 20, 5)
        self.first = nn.Conv2d(32, 50, 3)  # hit
        self.second = nn.Conv2d(50, 64, 3)
        self.depthwise = nn.Conv2d(100, 100, 3, groups=100)
        self.squeeze = nn.Linear(64, 4)
        self.spread = nn.Linear(4, 64)
        self.given = nn.Linear(width, 100)
        self.hidden = nn.Linear(64, 100)  # hit
        self.classes = nn.Linear(100, 1001)


class Alone(nn.Module):
    def __init__(self):
        super().__init__()
        self.classes = nn.Linear(512, 1000 + 1)
        self.head = nn.Linear(512, 21)
        self.square = nn.Linear(100, 100)


def train(model, images):
    with torch.autocast("cuda", dtype=torch.bfloat16):
        return model(images)
