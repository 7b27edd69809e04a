# torch: 1.12
from torch.utils.data import random_split


def split(data):
    return random_split(data, [0.8, 0.3])
