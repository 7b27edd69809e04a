import random
from functools import partial

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Cut(Dataset):
    def __init__(self, images):
        self.images = images

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        begin = np.random.uniform(0, 10) + random.randint(0, 3)
        return self.images[index] * begin


def by_number(worker_id):
    np.random.seed(13 + worker_id)


def by_state(worker_id):
    np.random.seed(np.random.get_state()[1][0] + worker_id)


def by_rank(worker_id, count, rank, seed):
    number = count * rank + worker_id + seed
    random.seed(number)


def all_alike(worker_id, seed=0):
    random.seed(seed)
    np.random.seed(seed)


class Loader(DataLoader):
    def __init__(self, data):
        DataLoader.__init__(  # hit
            self, data, shuffle=True, num_workers=4, worker_init_fn=by_number
        )


class FastLoader(DataLoader):
    pass


def make_fast(data, rank, seed, plain):
    first = partial(by_rank, count=4, rank=rank, seed=seed) if seed is not None else None
    yield FastLoader(data, shuffle=True, num_workers=4, worker_init_fn=first)  # hit
    yield FastLoader(data, shuffle=False, num_workers=4, worker_init_fn=first)
    yield FastLoader(data, shuffle=True, num_workers=4, worker_init_fn=by_torch)


def by_torch(worker_id):
    seed = torch.initial_seed() % 2**32
    np.random.seed(seed + worker_id)
    random.seed(seed)


def by_info(worker_id):
    np.random.seed(torch.utils.data.get_worker_info().seed % 2**32)


def by_epoch(worker_id, epoch):
    np.random.seed(1000 * epoch + worker_id)


def loaders(images, args, rank):
    data, settings = Cut(images), {"batch_size": 4, "num_workers": 4}
    yield DataLoader(data, shuffle=True, **settings, worker_init_fn=by_number)  # hit
    yield DataLoader(data, shuffle=True, **settings, worker_init_fn=by_state)  # hit
    yield DataLoader(data, shuffle=True, **settings, worker_init_fn=all_alike)  # hit
    given = partial(by_rank, count=4, rank=rank, seed=args.seed)
    yield DataLoader(data, shuffle=True, **settings, worker_init_fn=given)  # hit
    yield DataLoader(  # hit
        data, shuffle=True, num_workers=args.workers, worker_init_fn=lambda i: np.random.seed(i)
    )
    yield DataLoader(data, shuffle=True, **settings, worker_init_fn=by_torch)
    yield DataLoader(data, shuffle=True, **settings, worker_init_fn=by_info)
    chosen = by_number if args.same else None
    yield DataLoader(data, shuffle=True, **settings, worker_init_fn=chosen)  # hit
    for epoch in range(args.epochs):
        seeded = partial(by_epoch, epoch=epoch)
        yield DataLoader(data, shuffle=True, **settings, worker_init_fn=seeded)
    yield DataLoader(data, shuffle=False, **settings, worker_init_fn=by_number)
    yield DataLoader(data, shuffle=True, worker_init_fn=by_number)
    yield DataLoader(
        data, shuffle=True, **settings, persistent_workers=True, worker_init_fn=by_number
    )
