from torch.utils.data import Dataset


class Next(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)  # hit

    def __getitem__(self, i):
        return self.rows[i], self.rows[i + 1]


class Ring(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i], self.rows[(i + 1) % len(self.rows)]


class Starts(Dataset):
    def __init__(self, rows, starts):
        self.rows, self.starts = rows, starts

    def __len__(self):
        return len(self.starts)

    def __getitem__(self, i):
        return self.rows[self.starts[i] + 1]


class Bounds(Dataset):
    def __init__(self, bounds):
        self.bounds = bounds

    def __len__(self):
        return len(self.bounds) - 1

    def __getitem__(self, i):
        return self.bounds[i], self.bounds[i + 1]


class Kept(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        i = max(i - 1, 0)
        return self.rows[i], self.rows[i + 1]


class Pairs(Dataset):
    def __init__(self, a, b):
        self.a, self.b = sorted(a), sorted(b)

    def __len__(self):
        return max(len(self.a), len(self.b))  # hit

    def __getitem__(self, i):
        return torch.load(self.a[i]), torch.load(self.b[i])


class Unpaired(Dataset):
    def __init__(self, a, b):
        self.a, self.b = sorted(a), sorted(b)

    def __len__(self):
        return max(len(self.a), len(self.b))

    def __getitem__(self, i):
        return torch.load(self.a[i % len(self.a)]), torch.load(self.b[i % len(self.b)])
