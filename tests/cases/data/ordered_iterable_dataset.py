from torch.utils.data import BatchSampler, DataLoader, Dataset, IterableDataset, RandomSampler


class Rows(IterableDataset):
    def __iter__(self):
        return iter(range(3))


class Lines(Rows):
    pass


class Images(Dataset):
    def __getitem__(self, index):
        return index


def loaders(data, sampler, shuffle):
    own = RandomSampler(range(3))
    rows = Lines()
    DataLoader(Rows(), shuffle=True)  # hit
    DataLoader(Rows(), shuffle=False)
    DataLoader(Rows(), shuffle=shuffle)
    DataLoader(rows, sampler=own)  # hit
    DataLoader(rows, sampler=sampler)
    DataLoader(rows, 1, True)  # hit
    DataLoader(rows, batch_sampler=BatchSampler(own, 2, False))  # hit
    DataLoader(rows, batch_size=2, drop_last=True)
    DataLoader(Images(), shuffle=True)
    DataLoader(data, shuffle=True)
