import torch
from torch import nn


def fit(values, path):
    model = nn.Linear(4, 1)
    torch.save(model.state_dict(), path)


def apply(values, path):
    model = nn.Linear(4, 1)
    model.load_state_dict(torch.load(path))
    return model(values)


def keep(model, other_path):
    torch.save(model.state_dict(), other_path)


def restore(model, other_path):
    model.load_state_dict(torch.load(other_path))  # hit
