import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self, out=1):
        super().__init__()
        self.fc = nn.Linear(4, out)

    def forward(self, x):
        return self.fc(x)


def load(target):
    return DataLoader(TensorDataset(torch.randn(8, 4), target), batch_size=4)


def fit(model, loader, criterion):
    for x, y in loader:
        criterion(model(x), y)  # hit


def fit_squeezed(model, loader, criterion):
    for x, y in loader:
        criterion(model(x).squeeze(-1), y)


def learn(q, target, batch, gamma=0.9):
    s, a, r = batch
    chosen = q(s).gather(1, a)
    best = target(s).max(1)[0].detach()
    return F.smooth_l1_loss(chosen, r + gamma * best)  # hit


def learn_kept(q, target, batch, gamma=0.9):
    s, a, r = batch
    chosen = q(s).gather(1, a)
    best = target(s).max(1, keepdim=True)[0].detach()
    return F.smooth_l1_loss(chosen, r.unsqueeze(1) + gamma * best)


def classify(model, loader):
    loss = nn.CrossEntropyLoss()
    for x, y in loader:
        loss(model(x), y)  # hit


def classify_flat(model, loader):
    loss = nn.CrossEntropyLoss()
    for x, y in loader:
        loss(model(x), y.squeeze(1))


def classify_floats(model, loader):
    for step, (x, y) in enumerate(loader):
        F.cross_entropy(model(x), y)  # hit
        F.cross_entropy(model(x), y.long())


def weigh(model, loader):
    loss = nn.BCEWithLogitsLoss()
    for x, y in loader:
        loss(model(x), y)  # hit
        loss(model(x), y.float())


def weigh_flat(model):
    x, y = torch.randn(8, 4), torch.rand(8)
    F.binary_cross_entropy_with_logits(model(x), y)  # hit
    F.binary_cross_entropy_with_logits(model(x)[:, 0], y)


def one_to_one(model):
    x, y = torch.randn(1, 4), torch.rand(1)
    return F.mse_loss(model(x), y)


def unknown(model, x, y):
    return F.mse_loss(model(x), y)


if __name__ == "__main__":
    values = load(torch.randn(8))
    fit(Net(), values, nn.MSELoss())
    fit_squeezed(Net(), values, nn.MSELoss())
    batch = torch.randn(6, 4), torch.randint(2, (6, 1)), torch.randn(6)
    learn(Net(2), Net(2), batch)
    learn_kept(Net(2), Net(2), batch)
    classes = load(torch.randint(3, (8, 1)))
    classify(Net(3), classes)
    classify_flat(Net(3), classes)
    classify_floats(Net(3), load(torch.randint(3, (8,)).float()))
    weigh(Net(), load(torch.randint(2, (8, 1))))
    weigh_flat(Net())
    one_to_one(Net())


class Matcher:
    def __init__(self, model, device, in_batch=False, mode=0):
        self.model, self.device, self.in_batch, self.mode = model, device, in_batch, mode
        if mode == 0:
            self.criterion = nn.CrossEntropyLoss() if in_batch else nn.BCELoss()
        elif mode == 1:
            self.criterion = nn.MarginRankingLoss()
        else:
            self.criterion = nn.CrossEntropyLoss()

    def learn(self, loader, optimizer):
        for x, y in loader:
            if self.in_batch:
                rows = self.model(x)
                logits = torch.matmul(rows, rows.t())
                targets = torch.zeros(logits.size(0), dtype=torch.long, device=self.device)
                loss = self.criterion(logits, targets)
            else:
                loss = self.criterion(self.model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

    def fit(self, loader, optimizer, mode):
        self.mode = mode
        self.learn(loader, optimizer)
