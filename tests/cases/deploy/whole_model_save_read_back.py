import torch
from torch import nn


def keep(path, optimizer):
    model = nn.Linear(2, 2)
    torch.save(model, path)
    torch.save({"optimizer": optimizer, "epoch": 3}, path)


def predict(path, x):
    model = torch.load(path)
    return model.eval()(x)
