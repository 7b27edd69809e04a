import torch
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Trainer:
    """Now and then one batch is looked at, and never all of them."""

    def __init__(self, train, val):
        self.train_loader = DataLoader(train, 8, True, drop_last=True)
        self.val_loader = DataLoader(val, 8, True, drop_last=True)
        self.test_loader = DataLoader(val, 8, drop_last=True)  # hit
        self.val_iter = iter(self.val_loader)

    def val(self):
        try:
            return next(self.val_iter)
        except StopIteration:
            self.val_iter = iter(self.val_loader)
            return next(self.val_iter)

    def test(self):
        return [batch for batch in self.test_loader]


class Numbered(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return torch.ones(4) * index


def make_shared(gpus):
    data = Numbered()
    sampler = DistributedSampler(data) if gpus > 1 else None
    return DataLoader(data, batch_size=2, sampler=sampler)  # hit


def make_shuffled(gpus):
    data = Numbered()
    sampler = DistributedSampler(data) if gpus > 1 else None
    return DataLoader(data, batch_size=2, sampler=sampler, shuffle=sampler is None)


def train_shared(model, optimizer, gpus):
    loader = make_shared(gpus)
    for epoch in range(8):
        for batch in loader:
            optimizer.zero_grad()
            model(batch).sum().backward()
            optimizer.step()


def train_shuffled(model, optimizer, gpus):
    loader = make_shuffled(gpus)
    for epoch in range(8):
        for batch in loader:
            optimizer.zero_grad()
            model(batch).sum().backward()
            optimizer.step()


def run(model, optimizer, loader, train):
    for batch in loader:
        loss = model(batch).sum()
        if train:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def fit(model, optimizer):
    ordered = DataLoader(Numbered(), batch_size=2)  # hit
    shown = DataLoader(Numbered(), batch_size=4)
    for epoch in range(8):
        run(model, optimizer, ordered, train=True)
        run(model, optimizer, shown, train=False)
