import random

import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset


class Lines(IterableDataset):
    def __init__(self, path):
        super().__init__()
        self.path = path

    def read(self):
        with open(self.path) as file:
            yield from file

    def __iter__(self):
        return self.read()


class Endless(Lines):
    def __iter__(self):
        while True:
            yield from self.read()


class Drawn(Lines):
    def __iter__(self):
        rows = [*self.read()]
        random.shuffle(rows)
        yield from rows


class Mapped(Dataset):
    def __len__(self):
        return 3

    def __getitem__(self, index):
        return index


class Module:
    def __init__(self, path):
        self.rows = Lines(path)

    def train_dataloader(self):
        return DataLoader(self.rows, batch_size=8, num_workers=8)  # hit


def load(path, workers):
    a = DataLoader(Lines(path), num_workers=2)  # hit
    b = (
        DataLoader(Lines(path), num_workers=1),
        DataLoader(Lines(path)),
        DataLoader(Mapped(), num_workers=4),
    )
    c = DataLoader(Endless(path), num_workers=4), DataLoader(Drawn(path), num_workers=4)
    return a, b, c, DataLoader(Lines(path), num_workers=workers)


class Noise(IterableDataset):
    def __iter__(self):
        for _ in range(10):
            yield torch.randn(3)


class Messages(IterableDataset):
    def __init__(self, consumer):
        self.consumer = consumer

    def __iter__(self):
        yield from self.consumer


class Jobs(Messages):
    def __iter__(self):
        while self.jobs:
            yield self.jobs.pop()


class Played(Messages):
    def __iter__(self):
        done = False
        while not done:
            seen, done = self.env.step(0)
            yield seen


def live(consumer):
    a = DataLoader(Noise(), num_workers=4), DataLoader(Messages(consumer), num_workers=4)
    return a, DataLoader(Jobs(consumer), num_workers=4), DataLoader(Played(None), num_workers=2)


class Rows(IterableDataset):
    def __init__(self, path):
        self.path = path

    def __iter__(self):
        with open(self.path) as lines:
            for line in lines:
                yield torch.tensor([float(each) for each in line.split(",")])


def read_rows(path):
    return DataLoader(Rows(path), batch_size=4, num_workers=2)  # hit
