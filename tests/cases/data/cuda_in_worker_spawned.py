import torch
from torch.utils.data import DataLoader, Dataset


class Spawned(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return torch.zeros(3).cuda()


def load():
    return DataLoader(Spawned(), num_workers=4, multiprocessing_context="spawn")
