import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, RandomSampler


class Noise(Dataset):
    def __init__(self, count):
        self.count = count

    def __getitem__(self, index):
        return torch.randn(2)


class Whole(Noise):
    def __len__(self):
        return self.count


class Wrapped(Dataset):
    def __init__(self, inner):
        self.inner = inner

    def __getattr__(self, name):
        return getattr(self.inner, name)


class Alias(Noise):
    def count_all(self):
        return self.count

    __len__ = count_all


class Stream(IterableDataset):
    def __iter__(self):
        yield torch.randn(2)


plain = DataLoader(Noise(4), batch_size=2)  # hit
mixed = DataLoader(Noise(4), batch_size=2, shuffle=True)  # hit
whole = DataLoader(Whole(4), batch_size=2)
alias = DataLoader(Alias(4), batch_size=2)
wrapped = DataLoader(Wrapped(Whole(4)), batch_size=2)
stream = DataLoader(Stream(), batch_size=2)
drawn = DataLoader(Noise(4), sampler=RandomSampler(range(4)))


def rows(path):
    yield from open(path)


def of_rows(path):
    return DataLoader(rows(path), batch_size=4), DataLoader([*rows(path)])  # hit
