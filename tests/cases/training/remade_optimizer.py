import torch
from torch import optim
from torch.optim import SGD, AdamW


def momentum(model, batches, n_epochs, lr):
    for epoch in range(n_epochs):
        model.train()
        optimizer = SGD(model.parameters(), lr, momentum=0.9)  # hit
        for x in batches:
            model(x).mean().backward()
            optimizer.step()
            optimizer.zero_grad()


class Trainer:
    def __init__(self, model, epochs):
        self.model, self.epochs = model, epochs

    def fit(self, batches):
        for _ in range(self.epochs):
            self.optimizer = AdamW(self.model.parameters(), lr=1e-3)  # hit
            for x in batches:
                self.optimizer.zero_grad()
                self.model(x).mean().backward()
                self.optimizer.step()


def plain(model, batches, epochs):
    for epoch in range(epochs):
        optimizer = optim.SGD(model.parameters(), lr=0.1)
        for x in batches:
            model(x).mean().backward()
            optimizer.step()


def decayed(model, batches, epochs):
    for epoch in range(epochs):
        optimizer = optim.Adam(model.parameters(), lr=0.1 / (epoch + 1))
        for x in batches:
            model(x).mean().backward()
            optimizer.step()


def rebuilt(make, batches, epochs):
    for epoch in range(epochs):
        model = make()
        optimizer = optim.Adam(model.parameters())
        for x in batches:
            model(x).mean().backward()
            optimizer.step()


def unfrozen(model, batches, epochs):
    for epoch in range(epochs):
        for p in model[epoch].parameters():
            p.requires_grad = True
        optimizer = optim.Adam(p for p in model.parameters() if p.requires_grad)
        for x in batches:
            model(x).mean().backward()
            optimizer.step()


def folds(model, splits):
    for fold in range(5):
        optimizer = optim.Adam(model.parameters())
        for x in splits[fold]:
            model(x).mean().backward()
            optimizer.step()


def now_and_then(model, batches, epochs):
    for epoch in range(epochs):
        if epoch == 10:
            optimizer = optim.Adam(model.parameters())
        for x in batches:
            model(x).mean().backward()
            optimizer.step()


def points(steps, epochs):
    for epoch in range(epochs):
        z = torch.zeros(3, requires_grad=True)
        optimizer = optim.Adam([z])
        for _ in range(steps):
            z.square().sum().backward()
            optimizer.step()


def rounds(model, server, loss, epochs):
    for epoch in range(epochs):
        model.load_state_dict(server.state_dict())
        optimizer = torch.optim.Adam(model.parameters())
        loss(model).backward()
        optimizer.step()


def grown(model, loss, epochs):
    for epoch in range(epochs):
        model.add_layer()
        optimizer = torch.optim.Adam(model.parameters())
        loss(model).backward()
        optimizer.step()


def train_shortly(model, loader, episodes):
    for ep in range(10):
        optimizer = torch.optim.Adam(model.parameters(), lr=0.1)  # hit
        for x in loader:
            optimizer.zero_grad()
            model(x).sum().backward()
            optimizer.step()
    for ep in range(episodes):
        adapted = torch.optim.Adam(model.parameters(), lr=0.1)
        model(next(loader)).sum().backward()
        adapted.step()
