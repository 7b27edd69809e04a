import copy

import torch
from torch import nn


def build(width):
    return nn.Sequential(nn.Linear(4, width), nn.ReLU(), nn.Linear(width, 2))


def wider(loader, loss):
    model = build(8)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    model = build(16)  # hit
    for x, y in loader:
        optimizer.zero_grad()
        loss(model(x), y).backward()
        optimizer.step()


def resumed(loader, loss, path):
    model = build(8)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    if path:
        model = torch.load(path, weights_only=False)  # hit
    for x, y in loader:
        optimizer.zero_grad()
        loss(model(x), y).backward()
        optimizer.step()


def handed_on(loader, train):
    model = build(8)
    optimizer = torch.optim.SGD(filter(lambda p: p.requires_grad, model.parameters()), 0.1)
    model = copy.deepcopy(model)  # hit
    train(model, loader, optimizer)


def folds(loaders, train):
    model = build(8)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for loader in loaders:
        model = build(8)
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        train(model, loader, optimizer)


def wrapped(loader, train):
    model = build(8)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    model = nn.DataParallel(model)
    model, other = copy.deepcopy(model), model
    train(other, loader, optimizer)


def tested(loader, train, test, path):
    model = build(8)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    train(model, loader, optimizer)
    model = build(8)
    model.load_state_dict(torch.load(path, map_location="cpu"))
    test(model, loader)


def chosen(loader, train, big):
    if big:
        model = build(80)
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
    else:
        model = build(8)
        optimizer = torch.optim.Adam(model.parameters(), 0.1)
    train(model, loader, optimizer)


def only_tested(loader, train, test, path):
    model = build(8)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    if path:
        model = torch.load(path, weights_only=False)
        return test(model, loader)
    train(model, loader, optimizer)


def grown(loader, train):
    model = build(8)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    model = build(16)
    optimizer.add_param_group({"params": model.parameters()})
    train(model, loader, optimizer)
