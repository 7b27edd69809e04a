import glob
import os
import random
from glob import glob as find
from pathlib import Path

import numpy as np
import torch
from torch.utils import data
from torch.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset
from torchvision import datasets


class Pairs(Dataset):
    def __init__(self, root: Path, seed=0):
        self.images = glob.glob(str(root / "*.png"))  # hit
        self.masks = [p for p in (root / "masks").iterdir() if p.suffix == ".png"]  # hit
        self.labels = []
        for name in os.listdir(root):  # hit
            if name.endswith("txt"):
                self.labels.append(name)
        names = find(str(root / "*.json"))  # hit
        self.notes = [read(name) for name in names]
        self.more = list(root.rglob("*.xml"))  # hit
        self.known = os.listdir(root)
        self.count = len(os.listdir(root))
        self.rng = np.random.default_rng(seed)  # hit
        self.own = random.Random()  # hit
        self.unused = np.random.RandomState(0)
        self.generator = torch.Generator().manual_seed(0)  # hit
        order = np.random.RandomState(seed)
        self.order = order.permutation(self.count)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        if self.images[index] in self.known and self.rng.random() < 0.5:
            return self.masks[index]
        noise = torch.rand(2, generator=self.generator)
        return self.labels[index], self.notes[index], self.more[index], self.own.random(), noise


class Local(Dataset[str]):
    def __init__(self, root):
        found, ordered, chosen = [], [], {}
        for folder in os.listdir(root):  # hit
            for name in sorted(os.listdir(folder)):
                found.append(name)
                self.pairs += [(folder, name)]
        for name in os.listdir(root):
            ordered.append(name)
            chosen[name] = 1
        self.files = found
        self.ordered = sorted(ordered)
        self.chosen = chosen
        self.classes = sorted(set(found))
        self.counts = [1 for _ in range(len(os.listdir(root)))]

    def __getitem__(self, index):
        return self.files[index], self.ordered[index], self.chosen[index], self.counts[index]


class InOrder(Dataset):
    def __init__(self, root):
        self.files = sorted(os.listdir(root))
        self.others = glob.glob(root)
        self.others.sort()

    def __getitem__(self, index):
        return self.files[index], self.others[index], np.random.rand()


class Stream(IterableDataset):
    def __init__(self, root):
        self.files = os.listdir(root)

    def __iter__(self):
        yield from self.files


class Folder:
    def __init__(self, root):
        self.files = os.listdir(root)
        self.rng = random.Random(0)

    def __getitem__(self, index):
        return self.files[index], self.rng.random()


def train(model, x, root, unknown, flag):
    loader = DataLoader(TensorDataset(x), batch_size=4)  # hit
    images = datasets.CIFAR10(root)
    fixed = data.DataLoader(images, batch_size=4, shuffle=False)  # hit
    shuffled = DataLoader(images, 4, True)
    sampled = DataLoader(images, sampler=unknown)
    stream = DataLoader(Stream(root))
    other = DataLoader(unknown)
    chosen = DataLoader(images, shuffle=flag)
    val_loader = DataLoader(images, batch_size=48, drop_last=True)  # hit
    val_loader = DataLoader(images, batch_size=8, drop_last=True)
    test_data_loader = DataLoader(unknown, batch_size=8, drop_last=True)  # hit
    evaluation_iter = DataLoader(unknown, batch_size=8, drop_last=True)  # hit
    validation_dataloaders = DataLoader(unknown, batch_size=8, drop_last=True)  # hit
    latest_loader = DataLoader(unknown, batch_size=8, drop_last=True)
    train_eval_loader = DataLoader(unknown, batch_size=8, drop_last=True)
    testing = DataLoader(unknown, batch_size=8, drop_last=True)
    valid_loader = DataLoader(images, drop_last=True)
    eval_loader = DataLoader(images, 1, drop_last=True)
    one = 1
    test_loader = DataLoader(images, batch_size=one, drop_last=True)
    dev_loader = DataLoader(images, size, drop_last=True)  # hit
    val_dl = DataLoader(images, drop_last=True, **options)  # hit
    train_loader = DataLoader(images, shuffle=True, drop_last=True)
    test_loader = DataLoader(images, shuffle=True)
    for epoch in range(3):
        for batch in loader:
            model(batch).backward()
        for batch in fixed:
            model(batch).backward()
        for batch in shuffled:
            model(batch).backward()
        for batch in sampled:
            model(batch).backward()
        for batch in stream:
            model(batch).backward()
        for batch in other:
            model(batch).backward()
        for batch in chosen:
            model(batch).backward()
    return val_loader, train_loader, test_loader


def once(model, x):
    loader = DataLoader(TensorDataset(x))
    for batch in loader:
        model(batch).backward()


def evaluate(model, x):
    loader = DataLoader(TensorDataset(x))
    for threshold in range(3):
        for batch in loader:
            print(model(batch), threshold)


def read(name):
    return name


class Fitting:
    def __init__(self, x, network):
        self.network = network
        self.batches = make_batches(TensorDataset(x))
        self.shuffled = make_batches(TensorDataset(x), shuffle=True)

    def run(self):
        for _ in range(10):
            for batch in self.batches:
                self.step(batch)
            for batch in self.shuffled:
                self.step(batch)

    def step(self, batch):
        self.network(batch).backward()


def make_batches(data, shuffle=False):
    return DataLoader(dataset=data, batch_size=8, shuffle=shuffle)  # hit


def by_epochs(network, x):
    batches = DataLoader(TensorDataset(x))  # hit
    for _ in range(3):
        one_epoch(network, enumerate(batches))


def one_epoch(network, batches):
    for number, batch in batches:
        network(batch, number).backward()


def by_phases(network, x, y):
    first = DataLoader(TensorDataset(x), batch_size=4, shuffle=True)
    other = DataLoader(TensorDataset(y), batch_size=4)
    loaders = {"train": first, "val": other}
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
    for _ in range(3):
        for phase in ["train", "val"]:
            for batch in loaders[phase]:
                loss = network(batch).mean()
                if phase == "train":
                    loss.backward()
                    optimizer.step()


class Stream(Dataset):
    """Whatever index is asked for, the next batch comes."""

    def __init__(self, batches):
        self.batches = iter(batches)

    def __getitem__(self, index):
        return next(self.batches)

    def __len__(self):
        return 8


class Stored(Dataset):
    def __init__(self, batches):
        self.batches = batches

    def __getitem__(self, index):
        return self.batches[index]

    def __len__(self):
        return 8


def from_streams(network, batches):
    stream = DataLoader(Stream(batches), batch_size=4)
    stored = DataLoader(Stored(batches), batch_size=4)  # hit
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
    for _ in range(3):
        for batch in stream:
            network(batch).mean().backward()
            optimizer.step()
        for batch in stored:
            network(batch).mean().backward()
            optimizer.step()


class Streets(Dataset):
    def __init__(self, root, target_root):
        self.images, self.targets = [], []
        for city in os.listdir(root):  # hit
            for name in os.listdir(os.path.join(root, city)):  # hit
                self.targets.append(os.path.join(target_root, city, name.split("_")[0]))
                self.images.append(os.path.join(root, city, name))

    def __getitem__(self, index):
        return self.images[index], self.targets[index]


class Either(Dataset):
    def __init__(self, files, scored):
        if scored:
            self.sources, self.targets = [], []
            for file in glob.glob(files):  # hit
                self.sources.append(file + ".source")
                self.targets.append(file + ".target")
        else:
            self.sources, self.ids = [], []
            for file in glob.glob(files):  # hit
                self.ids.append(file)
                self.sources.append(file)

    def __getitem__(self, index):
        return self.sources[index], self.targets[index], self.ids[index]
