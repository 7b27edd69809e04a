import copy

import torch
from torch.utils.data import DataLoader, Subset, random_split
from torchvision import transforms as T
from torchvision.datasets import ImageFolder


def split_in_two(make, train_transform, test_transform):
    whole = make("images")
    train, test = random_split(whole, [0.8, 0.2])
    train.dataset.transform = train_transform
    test.dataset.transform = test_transform  # hit
    return DataLoader(train), DataLoader(test)


class Data:
    def __init__(self, whole, indices, first, second):
        self.train = Subset(whole, indices[:10])
        self.test = Subset(whole, indices[10:])
        self.train.dataset.transform = first
        self.test.dataset.transform = second  # hit
        self.train.dataset.target_transform = first


def of_two_datasets(one, other, first, second):
    train, test = Subset(one, range(9)), Subset(other, range(9, 12))
    left, right = Subset(one, [0]), 3
    a = Subset(one, range(9))
    b = Subset(other, range(9, 12))
    a.dataset.transform = first
    b.dataset.transform = second
    return train, test, left, right


def of_a_copy(whole, first, second):
    train, test = torch.utils.data.random_split(whole, [8, 2])
    test.dataset = copy.deepcopy(whole)
    train.dataset.transform = first
    test.dataset.transform = second


def the_same(whole, plain):
    train, test = random_split(whole, [8, 2])
    train.dataset.transform = plain
    test.dataset.transform = plain


def by_turns(whole, first, second, training):
    train, test = random_split(whole, [8, 2])
    if training:
        train.dataset.transform = first
    else:
        test.dataset.transform = second


def split_by_chance(other):
    moved = T.Compose([T.RandomResizedCrop(224), T.RandomHorizontalFlip(), T.ToTensor()])
    plain = T.Compose([T.Resize(224), T.ToTensor()])
    full = ImageFolder("data", transform=moved)
    still = ImageFolder("data", transform=plain)
    train, val = random_split(full, [0.9, 0.1])  # hit
    train, test_set = random_split(still, [0.9, 0.1])
    one, two = random_split(full, [0.9, 0.1])
    train, test = random_split(ImageFolder("data", T.ToTensor()), [0.9, 0.1])
    train, valid = random_split(full, [0.9, 0.1])
    valid.dataset = still
    return train, val, test, one, two, test_set, other
