from torch.utils import data
from torch.utils.data.distributed import DistributedSampler
from tqdm import tqdm


def train_epoch(model, optimizer, batches):
    for x, y in tqdm(batches):
        optimizer.zero_grad()
        model(x, y).backward()
        optimizer.step()


def helper(model, optimizer, images, distributed):
    sampler = DistributedSampler(images) if distributed else None  # hit
    loader = data.DataLoader(images, sampler=sampler)
    for _ in range(10):
        train_epoch(model, optimizer, loader)


def inline(model, optimizer, images):
    loader = data.DataLoader(images, sampler=DistributedSampler(images, seed=3))  # hit
    step = 0
    while step < 100:
        for i, x in enumerate(loader):
            model(x).backward()
            step += 1


class Trainer:
    def __init__(self, images):
        self.sampler: DistributedSampler = DistributedSampler(images, shuffle=True)  # hit
        self.loader = data.DataLoader(images, 8, sampler=self.sampler)

    def fit(self, model):
        for epoch in tqdm(range(3)):
            for x in self.loader:
                model(x).backward()


def anew_each_time(model, images):
    for epoch in range(3):
        sampler = DistributedSampler(images)  # hit
        for x in data.DataLoader(images, sampler=sampler):
            model(x).backward()


def seeded_anew(model, images):
    for epoch in range(3):
        sampler = DistributedSampler(images, seed=epoch)
        for x in data.DataLoader(images, sampler=sampler):
            model(x).backward()


def once(model, images):
    loader = data.DataLoader(images, sampler=DistributedSampler(images))
    for x in loader:
        model(x).backward()


def evaluate(model, images):
    loader = data.DataLoader(images, sampler=DistributedSampler(images))
    for threshold in (0.1, 0.5):
        for x in loader:
            print((model(x) > threshold).sum())


def in_order(model, images, shuffle):
    ordered = data.DataLoader(images, sampler=DistributedSampler(images, shuffle=False))
    unknown = data.DataLoader(images, sampler=DistributedSampler(images, shuffle=shuffle))
    for epoch in range(3):
        for x, z in zip(ordered, unknown):
            model(x, z).backward()
        for x in ordered:
            model(x).backward()
        for x in unknown:
            model(x).backward()


def loaders(images, *args, **options):
    sampler = DistributedSampler(images, *args, **options)
    return data.DataLoader(images, sampler=sampler)


def handed_out(images):
    sampler = DistributedSampler(images)
    return data.DataLoader(images, sampler=sampler), sampler


def fed(images, sampler):
    return data.DataLoader(images, sampler=sampler)


def through_helper(model, images):
    loader = fed(images, DistributedSampler(images))  # hit
    for epoch in range(3):
        for step, x in enumerate(loader):
            model(x).backward()
