from torch.utils.data import BatchSampler, DataLoader, RandomSampler

SETTINGS = {"batch_size": 0}


def loaders(data, size, workers=-1):
    batches = BatchSampler(RandomSampler(data), 2, False)
    DataLoader(data, batch_size=0)  # hit
    DataLoader(data, -1)  # hit
    DataLoader(data, batch_size=1)
    DataLoader(data, batch_size=None)
    DataLoader(data, batch_size=size)
    DataLoader(data, batch_size=SETTINGS["batch_size"])  # hit
    DataLoader(data, batch_sampler=batches, batch_size=0)
    DataLoader(data, num_workers=-1)  # hit
    DataLoader(data, num_workers=workers)  # hit
    DataLoader(data, num_workers=0)
    DataLoader(data, timeout=-1)  # hit
    DataLoader(data, timeout=0.5, num_workers=1)
    DataLoader(data, num_workers=2, prefetch_factor=0)  # hit
    DataLoader(data, num_workers=2, prefetch_factor=-2)  # hit
    DataLoader(data, num_workers=2, prefetch_factor=1)
    DataLoader(data, prefetch_factor=0)


def refuses(data, pytest):
    with pytest.raises(ValueError):
        DataLoader(data, batch_size=0)
