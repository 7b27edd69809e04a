import torch
from torch import nn


def again(path):
    model = nn.Linear(1, 1)
    torch.save(model, path)
    return torch.load(path, weights_only=False)
