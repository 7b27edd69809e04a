import tarfile
import zipfile
from zipfile import ZipFile

import h5py
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Pages(Dataset):
    def __init__(self, path):
        self.archive = ZipFile(path, "r")  # hit
        self.names = self.archive.namelist()

    def __len__(self):
        return len(self.names)

    def __getitem__(self, index):
        with self.archive.open(self.names[index]) as page:
            return np.frombuffer(page.read(), np.uint8)


class Volumes(Dataset):
    def __init__(self, path):
        super().__init__()
        self.file = h5py.File(path, "r")  # hit
        self.volumes = self.file["volumes"]

    def __len__(self):
        return len(self.volumes)

    def __getitem__(self, index):
        return torch.from_numpy(self.volumes[index])


class Whole(Dataset):
    """What it reads was taken into memory."""

    def __init__(self, path):
        self.file = h5py.File(path, "r")
        self.volumes = self.file["volumes"][:]
        self.raw = open(path, "rb").read()

    def __len__(self):
        return len(self.volumes)

    def __getitem__(self, index):
        return self.volumes[index], self.raw[index]


class Counted(Dataset):
    """The file is closed, and opened again by whoever reads it."""

    def __init__(self, path):
        self.path = path
        self.file = h5py.File(path, "r")
        self.count = len(self.file["volumes"])
        self.file.close()
        self.file = None

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        if self.file is None:
            self.file = h5py.File(self.path, "r")
        return self.file["volumes"][index]


class Reopened(Dataset):
    def __init__(self, path):
        self.path, self.tar = path, tarfile.open(path)
        self.archive = zipfile.ZipFile(path)

    def __getstate__(self):
        return {"path": self.path}

    def __setstate__(self, state):
        self.__init__(state["path"])

    def __len__(self):
        return 1

    def __getitem__(self, index):
        return self.archive.read("a")


class Rows:
    """No dataset."""

    def __init__(self, path):
        self.file = open(path, "rb")

    def __getitem__(self, index):
        self.file.seek(index)
        return self.file.read(1)


class Lines(Dataset):
    def __init__(self, path, size):
        self.file = open(path, "rb")  # hit
        self.size = size

    def __len__(self):
        return 10

    def __getitem__(self, index):
        self.file.seek(index * self.size)
        return torch.frombuffer(bytearray(self.file.read(self.size)), dtype=torch.uint8)


class Looked(Dataset):
    def __init__(self, path):
        self.file = h5py.File(path, "r")  # hit
        self.images = self.file["images"]

    def find(self, index):
        return self.images[index]

    def __len__(self):
        return 10

    def __getitem__(self, index):
        return self.find(index)


def load(path, args):
    return DataLoader(Lines(path, 3), batch_size=4, num_workers=args.workers)


class Store(Dataset):
    """Written to and read from by its own code, under `with`."""

    def __init__(self, path):
        self.file = h5py.File(path)

    def __enter__(self):
        return self

    def __exit__(self, *raised):
        self.file.close()

    def __getitem__(self, key):
        return self.file[key][()]
