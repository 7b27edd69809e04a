import numpy as np
import torch
from torch.utils.data import Dataset


class Spectra(Dataset):
    def __init__(self, spectra, labels, train=True):
        self.spectra, self.labels, self.train = spectra, labels, train

    def __len__(self):
        return len(self.spectra)

    def __getitem__(self, index):
        x = self.spectra[index]
        y = self.labels[index]
        if self.train:
            x -= x.mean()  # hit
        y += 1
        return torch.from_numpy(x), y


class Clamped(Dataset):
    def __init__(self, images):
        self.images = images

    def __getitem__(self, i):
        image = self.images[i]
        image.clamp_(0, 1)  # hit
        return image


class Copied(Dataset):
    def __init__(self, images):
        self.images = images

    def __getitem__(self, i):
        image = self.images[i].clone()
        image.clamp_(0, 1)
        other = self.images[i]
        other = other * 2
        other += np.ones(3)
        return image, other


class Holder:
    def __init__(self, images):
        self.images = images

    def __getitem__(self, i):
        image = self.images[i]
        image += torch.ones(2)
        return image
