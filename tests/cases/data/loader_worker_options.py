import functools

import torch.utils.data as tud
from torch.utils.data import DataLoader


def loaders(data, kwargs, count, workers=0):
    DataLoader(data, prefetch_factor=2)  # hit
    DataLoader(data, prefetch_factor=2, num_workers=2)
    DataLoader(data, prefetch_factor=2, num_workers=workers)  # hit
    DataLoader(data, prefetch_factor=2, num_workers=count)
    DataLoader(data, prefetch_factor=2, **kwargs)
    DataLoader(data, prefetch_factor=None, num_workers=0)
    tud.DataLoader(data, persistent_workers=True, num_workers=0)  # hit
    tud.DataLoader(data, persistent_workers=False, num_workers=0)
    DataLoader(data, multiprocessing_context="spawn")  # hit
    DataLoader(data, multiprocessing_context=None)
    DataLoader(data, timeout=3)  # hit
    DataLoader(data, timeout=0)
    DataLoader(data, timeout=-1)
    DataLoader(data, persistent_workers=True, prefetch_factor=2)  # hit
    DataLoader(*kwargs)


def may_fail(data):
    try:
        return DataLoader(data, persistent_workers=True)
    except Exception:
        return DataLoader(data)


def by_settings(data):
    make = functools.partial(DataLoader, num_workers=0)
    return make(data, timeout=2), make(data)  # hit


class Settings:
    def __init__(self, data):
        self.data = data
        self.workers = 0

    def loader(self):
        return DataLoader(self.data, num_workers=self.workers, persistent_workers=True)


class FileSettings(Settings):
    def __init__(self, data, text):
        super().__init__(data)
        for key, value in text.items():
            self.__dict__[key] = value


class Alone:
    def __init__(self, data):
        self.data = data
        self.workers = 0

    def loader(self):
        return DataLoader(self.data, num_workers=self.workers, persistent_workers=True)  # hit
