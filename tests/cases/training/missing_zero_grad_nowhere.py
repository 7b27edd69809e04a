import torch
from torch import nn


def train(model, loader, epochs):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    criterion = nn.CrossEntropyLoss()
    for epoch in range(epochs):
        for images, labels in loader:
            loss = criterion(model(images), labels)
            loss.backward()
            optimizer.step()  # hit
        print(epoch, loss.item())


def accumulated(model, loader, optimizer, every):
    for i, batch in enumerate(loader):
        (model(batch).mean() / every).backward()
        if (i + 1) % every == 0:
            optimizer.step()  # hit


def fresh_optimizer(make, loader):
    for batch in loader:
        model = make()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        model(batch).mean().backward()
        optimizer.step()


def one_step(model, batch, optimizer):
    model(batch).mean().backward()
    optimizer.step()


class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def train(self, loader):
        for batch in loader:
            self.step(batch)

    def step(self, batch):
        loss = self.model(batch).mean()
        loss.backward()
        self.optimizer.step()  # hit


def wrapped(model, loader, optimizer, hooks):
    for batch in loader:
        model(batch).mean().backward()
        optimizer.step()
        hooks.on_step(model, optimizer)


def micro_batches(model, batches, optimizer, scaler, parts):
    while True:
        for _ in range(parts):
            scaler.scale(model(next(batches)) / parts).backward()
        scaler.step(optimizer)  # hit
        scaler.update()


def two_players(one, two, opt_one, two_opt, loader):
    for batch in loader:
        one(batch).mean().backward()
        opt_one.step()  # hit
        two(batch).mean().backward()
        two_opt.step()


def two_players_cleared(one, two, opt_one, two_opt, loader):
    for batch in loader:
        for each in (opt_one, two_opt):
            each.zero_grad()
        one(batch).mean().backward()
        opt_one.step()
        two(batch).mean().backward()
        two_opt.step()


def two_parts(model, of_rows, of_rest, loader):
    for batch in loader:
        model.zero_grad()
        model(batch).mean().backward()
        of_rows.step()
        of_rest.step()
