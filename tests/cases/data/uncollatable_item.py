import torch
import torchvision
from PIL import Image
from torch.utils.data import DataLoader, Dataset


class Files(Dataset):
    def __init__(self, paths):
        self.paths = paths

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        image = Image.open(self.paths[index]).convert("RGB")
        return image, index


class Whole(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        try:
            return torch.tensor(self.rows[index])
        except ValueError:
            return None


class Filled(Whole):
    def __getitem__(self, index):
        words = self.rows[index].split()
        numbers = [len(word) for word in words]
        numbers = (numbers + [0] * 8)[:8]
        return {"numbers": torch.tensor(numbers), "text": " ".join(words)}


class Labelled(Whole):
    def __getitem__(self, index):
        return {"row": torch.tensor(self.rows[index]), "label": None}


def load(rows, paths, pad):
    yield DataLoader(Files(paths), batch_size=4)  # hit
    yield DataLoader(Files(paths), batch_size=None)
    yield DataLoader(Whole(rows), batch_size=4)  # hit
    yield DataLoader(Whole(rows), batch_size=4, collate_fn=pad)
    yield DataLoader(Filled(rows), batch_size=4)
    yield DataLoader(Labelled(rows), batch_size=4)  # hit


def load_digits(tensors):
    bare = torchvision.datasets.MNIST("data", train=True)
    made = torchvision.datasets.MNIST("data", train=True, transform=tensors)
    return DataLoader(bare, batch_size=8, shuffle=True), DataLoader(made, batch_size=8)  # hit


class Read(Dataset):
    def __init__(self, files):
        self.files = files

    def __len__(self):
        return len(self.files)

    def read(self, index):
        try:
            return torch.load(self.files[index], weights_only=True)
        except OSError:
            return None

    def __getitem__(self, index):
        return self.read(index)


class ReadChild(Read):
    pass


class ReadAgain(Read):
    def __getitem__(self, index):
        sample = self.read(index)
        while sample is None:
            index += 1
            sample = self.read(index)
        return sample


class ReadPairs(Read):
    def __getitem__(self, index):
        sample = self.read(index)
        return {"sample": sample, "index": index}


def of_read(files):
    a = DataLoader(Read(files), batch_size=2)  # hit
    b = DataLoader(ReadChild(files), batch_size=2)  # hit
    c = DataLoader(ReadPairs(files), batch_size=2)  # hit
    return a, b, c, DataLoader(ReadAgain(files), batch_size=2)


class Paired(Dataset):
    def __init__(self, rows, paired=True, check=None):
        self.rows, self.paired, self.check = rows, paired, check

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        if self.paired:
            return torch.tensor(self.rows[index]), index
        else:
            return None


class Checked(Paired):
    def __getitem__(self, index):
        if self.check(self.rows[index]):
            return torch.tensor(self.rows[index])
        return None


class Asked(Paired):
    def __getitem__(self, index):
        if self.check(index):
            return torch.tensor(self.rows[index])
        else:
            return None


def load_paired(rows):
    yield DataLoader(Paired(rows), batch_size=4)
    yield DataLoader(Checked(rows), batch_size=4)  # hit
    yield DataLoader(Asked(rows), batch_size=4)  # hit


class Viewed(Dataset):
    def __init__(self, paths, transform=transforms.ToTensor()):
        self.paths = paths
        self.transform = transform

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        image = Image.open(self.paths[index])
        if self.transform is not None:
            return self.transform(image)
        return image


class Unviewed(Viewed):
    def __init__(self, paths, transform=None):
        self.paths = paths
        self.transform = transform


def load_viewed(paths):
    yield DataLoader(Viewed(paths), batch_size=4)
    yield DataLoader(Unviewed(paths), batch_size=4)  # hit
