# torch: 1.13
from torch.utils.data import DataLoader


def loaders(data):
    DataLoader(data, prefetch_factor=2)
    DataLoader(data, prefetch_factor=4)  # hit
