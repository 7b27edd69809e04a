import functools

import torch.utils.data as tud
from torch.utils.data import BatchSampler, DataLoader, RandomSampler
from torch.utils.data.distributed import DistributedSampler


def loaders(data, sampler, shuffle, kwargs):
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
    DataLoader(*kwargs)


SETTINGS = {"shuffle": True}


def by_settings(data):
    make = functools.partial(DataLoader, sampler=RandomSampler(data))
    return make(data, shuffle=SETTINGS["shuffle"]), make(data)  # hit
