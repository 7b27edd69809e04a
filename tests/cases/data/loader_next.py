import torch
from torch.utils.data import DataLoader

from prefetching import DataPrefetcher

train_loader = DataLoader([1, 2, 3])
dataiter = iter(train_loader)
images = dataiter.next()  # hit
images = next(dataiter)
images, labels = iter(train_loader).next()  # hit
train_loader.next()  # hit


class Trainer:
    def __init__(self, val_loader, cursor):
        self.batches = iter(val_loader)
        self.cursor = cursor
        self.prefetcher = DataPrefetcher(val_loader)

    def step(self):
        try:
            batch = self.batches.next()  # hit
        except StopIteration:
            batch = None
        row = self.cursor.next()
        return batch, row, self.prefetcher.next()


def node(linked, loader, items):
    pre = DataPrefetcher(loader)
    x = pre.next()
    y = linked.next()
    z = iter(items).next()
    it = iter(loader)
    it = DataPrefetcher(it)
    return x, y, z, it.next()


def both(loader):
    try:
        return iter(loader).next()
    except AttributeError:
        return next(iter(loader))


def first_of(batches):
    return batches.next()  # hit


def begin(data):
    return first_of(iter(DataLoader(dataset=data, batch_size=2)))


def draw(data):
    fetch = iter(DataLoader(data)).next
    return fetch()  # hit


def endless(labeled_loader, model, steps):
    batches = iter(labeled_loader)
    for _ in range(steps):
        try:
            x, y = batches.next()
        except:
            batches = iter(labeled_loader)
            x, y = batches.next()  # hit
        model(x, y)
