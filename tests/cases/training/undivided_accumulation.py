import torch.nn.functional as F


class Trainer:
    def __init__(self, model, optimizer, steps):
        self.model, self.optimizer, self.steps = model, optimizer, steps

    def epoch(self, loader):
        for i, (x, y) in enumerate(loader):
            F.cross_entropy(self.model(x), y).backward()  # hit
            if (i + 1) % self.steps == 0 or i + 1 == len(loader):
                self.optimizer.step()
                self.optimizer.zero_grad()

    def divided(self, loader):
        for i, (x, y) in enumerate(loader):
            loss = F.cross_entropy(self.model(x), y)
            loss /= self.steps
            loss.backward()
            if (i + 1) % self.steps == 0:
                self.optimizer.step()
                self.optimizer.zero_grad()

    def shown(self, loader):
        for i, (x, y) in enumerate(loader):
            self.optimizer.zero_grad()
            loss = F.cross_entropy(self.model(x), y)
            loss.backward()
            self.optimizer.step()
            if i % 100 == 0:
                print(loss.item())


def scaled(model, loader, optimizer, scaler, n):
    for i, (x, y) in enumerate(loader):
        loss = F.cross_entropy(model(x), y)
        scaler.scale(loss).backward()  # hit
        if i % n == n - 1:
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad()


def summed(model, loader, optimizer, n):
    for i, (x, y) in enumerate(loader):
        F.cross_entropy(model(x), y, reduction="sum").backward()
        if i % n == n - 1:
            optimizer.step()
            optimizer.zero_grad()


def scheduled(model, loader, optimizer, scheduler):
    for i, (x, y) in enumerate(loader):
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
        if i % 100 == 0:
            scheduler.step()


def with_decay(model, loader, optimizer, hyp, size):
    steps = max(round(64 / size), 1)
    hyp["weight_decay"] *= size * steps / 64
    for i, (x, y) in enumerate(loader):
        F.cross_entropy(model(x), y).backward()
        if i % steps == 0:
            optimizer.step()
            optimizer.zero_grad()


def ever_more(model, loader, optimizer, size):
    for i, (x, y) in enumerate(loader):
        steps = max(1, min(i // 100, 64 // size))
        F.cross_entropy(model(x), y).backward()
        if i % steps == 0:
            optimizer.step()
            optimizer.zero_grad()
