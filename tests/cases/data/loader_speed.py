import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset, TensorDataset


class Images(Dataset):
    def __init__(self, paths):
        self.paths = paths

    def __getitem__(self, index):
        return Image.open(self.paths[index])


class Numbers(Dataset):
    def __getitem__(self, index):
        return torch.tensor([index])


def fit(model, device, batches):
    for x, (y, z) in batches:
        x = x.to(device)  # hit
        y = y.cuda(non_blocking=True)
        z = z.to(torch.float32)
        w = z.to(device, torch.float32, True)
        model(x, y, w).backward()


def main(model, images, more, device, **options):
    slow = DataLoader(Images(images), batch_size=4)  # hit
    plain = DataLoader(images, batch_size=4)
    numbers = DataLoader(Numbers(), batch_size=4)
    pinned = DataLoader(images, num_workers=2, pin_memory=True, persistent_workers=True)
    restarted = DataLoader(images, num_workers=2)  # hit
    chosen = DataLoader(images, num_workers=2, persistent_workers=False)
    unknown = DataLoader(images, num_workers=device)
    hidden = DataLoader(images, **options)
    memory = DataLoader(TensorDataset(more), batch_size=2)
    test = DataLoader(images)
    for epoch in range(3):
        fit(model, device, pinned)
        for batch in slow:
            model(batch).backward()
        for batch in plain:
            model(batch).backward()
        for batch in numbers:
            model(batch).backward()
        for batch in enumerate(restarted):
            model(batch).backward()
        for loader in (unknown, hidden, chosen):
            for batch in loader:
                model(batch).backward()
        for batch in memory:
            model(batch).backward()
        for batch in test:
            print(model(batch.to(device)))


def once(model, images):
    loader = DataLoader(images, num_workers=2)
    for batch in loader:
        model(batch).backward()


def by_epochs(model, images):
    loader = make_loader(Images(images), 0)
    busy = make_loader(images, 2)
    for epoch in range(3):
        one_epoch(model, loader)
        one_epoch(model, busy)


def make_loader(data, workers):
    return DataLoader(data, num_workers=workers)  # hit


def one_epoch(model, loader):
    for batch in loader:
        model(batch).backward()
