import functools

import torch
import torch.utils.data as tud
from torch.utils.data import (
    BatchSampler,
    DataLoader,
    Dataset,
    IterableDataset,
    RandomSampler,
    SequentialSampler,
    random_split,
)
from torch.utils.data.distributed import DistributedSampler
from tqdm import tqdm


class Images(Dataset):
    def __init__(self, paths):
        self.paths = paths

    def __getitem__(self, index):
        return self.paths[index]

    def __len__(self):
        return len(self.paths)


class Rows(IterableDataset):
    def __iter__(self):
        return iter(range(3))


class Typed(Dataset[int]):
    def __class_getitem__(cls, item):
        return cls


data = Images([1, 2])
first = Images[0]  # hit
size = len(Images)  # hit
second = Images.__getitem__(0)  # hit
third = data[0], len(data), data.__getitem__(0)
typed = Typed[0]
kinds: list[Dataset[int]] = []
late = DataLoader(data, num_workers=2)
for batch in tqdm(late):  # hit
    print(batch)
for batch in DataLoader(data):
    print(batch)
if __name__ == "__main__":
    for batch in late:
        print(batch)


def loaders(data, sampler, shuffle, kwargs, batches=None, workers=0):
    own = RandomSampler(data)
    maybe = DistributedSampler(data) if shuffle else None
    DataLoader(data, shuffle=True, sampler=RandomSampler(data))  # hit
    DataLoader(data, shuffle=True, sampler=own)  # hit
    DataLoader(data, 4, True, own)  # hit
    DataLoader(data, shuffle=True, sampler=sampler)
    DataLoader(data, shuffle=True, sampler=maybe)
    DataLoader(data, shuffle=sampler is None, sampler=own)
    DataLoader(data, shuffle=False, sampler=own)
    DataLoader(data, shuffle=True, sampler=None)
    batches = BatchSampler(own, 2, False)
    tud.DataLoader(data, batch_sampler=BatchSampler(own, 2, False), batch_size=4)  # hit
    tud.DataLoader(data, batch_sampler=BatchSampler(own, 2, False), drop_last=True)  # hit
    tud.DataLoader(data, batch_sampler=BatchSampler(own, 2, False), sampler=own)  # hit
    tud.DataLoader(data, batch_sampler=BatchSampler(own, 2, False), batch_size=1)
    tud.DataLoader(data, batch_sampler=batches, batch_size=4)  # hit
    DataLoader(data, batch_size=None, drop_last=True)  # hit
    DataLoader(data, batch_size=0)  # hit
    DataLoader(data, num_workers=-1)  # hit
    DataLoader(data, prefetch_factor=2)  # hit
    DataLoader(data, prefetch_factor=2, num_workers=2)
    DataLoader(data, prefetch_factor=2, num_workers=workers)  # hit
    DataLoader(data, prefetch_factor=2, **kwargs)
    DataLoader(data, prefetch_factor=None, num_workers=0)
    DataLoader(data, persistent_workers=True, num_workers=0)  # hit
    DataLoader(data, persistent_workers=False, num_workers=0)
    DataLoader(data, multiprocessing_context="spawn")  # hit
    DataLoader(data, timeout=3)  # hit
    DataLoader(Images)  # hit
    DataLoader(Images(data))
    DataLoader(Rows(), shuffle=True)  # hit
    DataLoader(Rows(), shuffle=False)
    DataLoader(*kwargs)
    for batch in DataLoader(data, num_workers=3):
        return batch


def splits(data, n):
    part = 0.8 * len(data)
    count = int(0.8 * len(data))
    total = len(data)
    random_split(data, [0.8, 0.2])
    random_split(data, [0.8, 0.3])  # hit
    random_split(data, [0.7, 0.2])  # hit
    random_split(data, (0.7, 0.2, 0.1))
    random_split(data, [80, 20])
    random_split(data, [part, total - part])  # hit
    random_split(data, [total / 2, total / 2])  # hit
    random_split(data, [count, total - count])
    random_split(data, [int(n * 0.8), n - int(n * 0.8)])
    random_split(data, [n * 0.8, n * 0.2])
    random_split(data, [total // 2, total - total // 2])
    random_split(data, n)


SETTINGS = {"shuffle": True, "batch_size": 0}


def by_settings(data):
    make = functools.partial(DataLoader, sampler=RandomSampler(data))
    first = make(data, shuffle=SETTINGS["shuffle"])  # hit
    return first, DataLoader(data, batch_size=SETTINGS["batch_size"])  # hit
