import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset


class Named(Dataset):
    def __init__(self, rows, device):
        self.rows, self.device = rows, device

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        row = torch.tensor(self.rows[index])
        other = row.to(self.device)
        return row.to("cuda:0"), other  # hit


class Stream(IterableDataset):
    def __iter__(self):
        for _ in range(10):
            yield torch.zeros(3, device="cuda")  # hit


class Plain(Dataset):
    def __len__(self):
        return 3

    def __getitem__(self, index):
        return torch.zeros(3)


class Rows:
    def __getitem__(self, index):
        return torch.zeros(3).cuda()


def load(rows, args):
    return DataLoader(Named(rows, args.device), num_workers=args.workers)


class Read(Dataset):
    def __len__(self):
        return 3

    def __getitem__(self, index):
        return self.read(index), self.count()

    def read(self, index):
        return torch.zeros(3).cuda()  # hit

    def count(self):
        return 3

    def show(self):
        return torch.zeros(3).cuda()


def join(rows):
    return torch.stack(rows).cuda()  # hit


def join_here(rows):
    return torch.stack(rows).cuda()


def join_plainly(rows):
    return torch.stack(rows)


def load_joined(rows):
    there = DataLoader(rows, num_workers=2, collate_fn=join)
    here = DataLoader(rows, num_workers=0, collate_fn=join_here)
    return there, here, DataLoader(rows, num_workers=2, collate_fn=join_plainly)
