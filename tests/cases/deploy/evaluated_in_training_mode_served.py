import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.Dropout(0.5))

    def forward(self, x):
        return self.mix(x)


def serve(images, path):
    model = Net()
    model.load_state_dict(torch.load(path, map_location="cpu"))
    return [model(image) for image in images]  # hit


def serve_plainly(images, path):
    model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    model.load_state_dict(torch.load(path, map_location="cpu"))
    return [model(image) for image in images]


def build(path):
    model = Net()
    model.load_state_dict(torch.load(path, map_location="cpu"))
    return model


def look(images):
    model = Net()
    return model(images)
