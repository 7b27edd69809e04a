import copy

import torch
from sklearn.model_selection import KFold, StratifiedKFold
from torch import nn


def fit(net, loader, optimizer):
    net.train()
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        optimizer.step()


def fit_anew(net, loader, optimizer):
    net.apply(weights_init)
    fit(net, loader, optimizer)
    net.train()
    nn.functional.cross_entropy(net(loader), loader).backward()
    optimizer.step()


def evaluate(net, loader):
    net.eval()
    return [net(x) for x in loader]


def weights_init(layer):
    layer.reset_parameters()


def split(data, labels, batches):
    model = nn.Linear(4, 2)
    folds = KFold(n_splits=5, shuffle=True)
    for number, (train, held) in enumerate(folds.split(data)):  # hit
        optimizer = torch.optim.Adam(model.parameters())
        fit(model, batches(train), optimizer)
        evaluate(model, batches(held))
    for train, held in StratifiedKFold(5).split(data, labels):
        model = nn.Linear(4, 2)
        fit(model, batches(train), torch.optim.Adam(model.parameters()))


def counted(model, batches, n_folds):
    start = copy.deepcopy(model.state_dict())
    for fold in range(n_folds):  # hit
        fit(model, batches(fold), torch.optim.Adam(model.parameters()))
    for fold in range(n_folds):
        model.load_state_dict(start)
        fit(model, batches(fold), torch.optim.Adam(model.parameters()))
    for fold in range(n_folds):
        net = copy.deepcopy(model)
        fit(net, batches(fold), torch.optim.Adam(net.parameters()))
    for fold in range(n_folds):
        fit_anew(model, batches(fold), torch.optim.Adam(model.parameters()))
    for fold in range(n_folds):
        evaluate(model, batches(fold))
    for step in range(n_folds):
        fit(model, batches(step), torch.optim.Adam(model.parameters()))


def several(models, batches, make):
    for fold in range(5):
        for net in models[fold]:
            fit(net, batches(fold), torch.optim.Adam(net.parameters()))
    for fold in range(5):
        net, optimizer = make(fold)
        fit(net, batches(fold), optimizer)


class Runner:
    def __init__(self, batches):
        self.batches = batches
        self.build()

    def build(self):
        self.net = nn.Linear(4, 2)
        self.optimizer = torch.optim.Adam(self.net.parameters())

    def run(self):
        for fold in range(5):
            self.build()
            fit(self.net, self.batches(fold), self.optimizer)

    def run_on(self):
        for fold in range(5):  # hit
            fit(self.net, self.batches(fold), self.optimizer)
