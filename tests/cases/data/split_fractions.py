from torch.utils.data import random_split

PARTS = (0.6, 0.3)


def splits(data, n, train):
    random_split(data, [0.8, 0.2])
    random_split(data, [0.8, 0.3])  # hit
    random_split(data, [0.7, 0.2])  # hit
    random_split(data, (0.7, 0.2, 0.1))
    random_split(data, PARTS)  # hit
    random_split(data, lengths=[0.5, 0.25])  # hit
    random_split(data, [1, 0.5])  # hit
    random_split(data, [train, 1 - train])
    random_split(data, [80, 20])
    random_split(data, [1, 1])
    random_split(data, [80.0, 20.0])
    random_split(data, n)


def counted(data, share):
    n = len(data)
    train = int(0.7 * n)
    rest = n - train
    random_split(data, [int(0.8 * n), int(n * 0.2)])  # hit
    random_split(data, (train, int(0.15 * n), int(0.15 * n)))  # hit
    random_split(data, [train, rest])
    random_split(data, [int(share * n), int((1 - share) * n)])
    random_split(data, [train, int(0.2 * len(data))])
    return random_split(data, [int(len(data) * 0.5), int(len(data) * 0.5)])  # hit
