import torch.utils.data as tud
from torch.utils.data import DataLoader, Dataset, IterableDataset


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


def loaders(data):
    kind = Rows
    DataLoader(Images)  # hit
    DataLoader(Images(data))
    DataLoader(dataset=kind)  # hit
    tud.DataLoader(kind())
    DataLoader(Typed)
    DataLoader(data)
