import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        return self.head(self.body(x))


def train(model, batches):
    for p in model.body.parameters():
        p.requires_grad = False
    optimizer = torch.optim.SGD(filter(lambda p: p.requires_grad, model.parameters()), lr=0.1)
    for epoch in range(4):
        if epoch == 2:
            for p in model.body.parameters():
                p.requires_grad = True  # hit
        for x in batches:
            optimizer.zero_grad()
            model(x).mean().backward()
            optimizer.step()


def train_anew(model, batches):
    for p in model.body.parameters():
        p.requires_grad = False
    optimizer = torch.optim.SGD(filter(lambda p: p.requires_grad, model.parameters()), lr=0.1)
    for epoch in range(4):
        if epoch == 2:
            for p in model.body.parameters():
                p.requires_grad = True
            optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for x in batches:
            optimizer.zero_grad()
            model(x).mean().backward()
            optimizer.step()


def train_all(model, batches):
    for p in model.body.parameters():
        p.requires_grad = False
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x in batches:
        model.body.requires_grad_(True)
        optimizer.zero_grad()
        model(x).mean().backward()
        optimizer.step()


def freeze_more(model, batches):
    optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.1)
    for x in batches:
        for p in model.parameters():
            p.requires_grad = False
        for p in model.head.parameters():
            p.requires_grad = True
        optimizer.zero_grad()
        model(x).mean().backward()
        optimizer.step()


def attack(model, x, y):
    x.requires_grad = False
    optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.1)
    for p in model.head.parameters():
        p.requires_grad = True
    optimizer.zero_grad()
    model(x).mean().backward()
    optimizer.step()
