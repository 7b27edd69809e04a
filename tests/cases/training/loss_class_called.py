import torch
from torch import nn


class Trainer:
    def __init__(self, model):
        self.model = model
        self.kind = nn.L1Loss
        self.criterion = nn.L1Loss()
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def step(self, x, y):
        self.optimizer.zero_grad()
        loss = self.kind(self.model(x), y)  # hit
        loss.backward()
        self.optimizer.step()

    def step_well(self, x, y):
        self.optimizer.zero_grad()
        loss = self.criterion(self.model(x), y)
        loss.backward()
        self.optimizer.step()

    def step_weighted(self, x, y, weight):
        self.optimizer.zero_grad()
        loss = nn.CrossEntropyLoss(weight)(self.model(x), y)
        loss.backward()
        self.optimizer.step()


class Own(nn.Module):
    def __init__(self, kind, weight):
        super().__init__()
        self.criterion = nn.BCEWithLogitsLoss(weight, None)
