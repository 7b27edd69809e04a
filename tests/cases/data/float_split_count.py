from torch.utils.data import random_split


def splits(data, n):
    part = 0.8 * len(data)
    count = int(0.8 * len(data))
    total = len(data)
    random_split(data, [part, total - part])  # hit
    random_split(data, [total / 2, total / 2])  # hit
    random_split(data, [count, total - count])
    random_split(data, [int(n * 0.8), n - int(n * 0.8)])
    random_split(data, [n * 0.8, n * 0.2])
    random_split(data, [total // 2, total - total // 2])
    random_split(data, [80.0, 20.0])  # hit
    random_split(data, [80, 20.0])  # hit
    random_split(data, [80, 20])
    random_split(data, [0.8, 0.3])
    random_split(data, [0.8, 0.2])
    random_split(data, n)
