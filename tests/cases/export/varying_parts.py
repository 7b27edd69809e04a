# profile: onnx
import torch
from torch import nn


class Halves(nn.Module):
    def forward(self, image):
        y = torch.cat((image, image), 0)
        a, b = y.chunk(2)  # hit
        left, right = torch.chunk(image, 2, dim=-1)  # hit
        top, bottom = image.split(image.shape[2] // 2, 2)  # hit
        n = image.size(3) // 2
        near, far = torch.split(image, n, dim=3)  # hit
        return a - b, left - right, top - bottom, near - far


class Fixed(nn.Module):
    """Channels, sizes that are written, and sizes in a list."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 1)

    def forward(self, image):
        y = self.conv(image)
        a, b = y.chunk(2, 1)
        c, d = image.split([image.shape[2] // 2, image.shape[2] - image.shape[2] // 2], 2)
        (e,) = image.split(8, 3)
        (whole,) = image.chunk(1, 2)
        f, g = y.split(y.shape[1] // 2, 1)
        return a, b, c, d, e, whole, f, g


class Unknown(nn.Module):
    def __init__(self, axis, count):
        super().__init__()
        self.axis, self.count = axis, count

    def forward(self, image, x):
        a = image.chunk(2, self.axis)
        b = image.chunk(self.count, 2)
        c, d = x.chunk(2)
        return a, b, c, d


def augment(batch):
    a, b = batch.chunk(2)
    return a + b


class Conditional(nn.Module):
    """Labels, or tokens: of what an Embedding is given it is not known whether each is a row."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.embed = nn.Embedding(10, 16)

    def forward(self, image, c):
        gain, bias = self.embed(c).unsqueeze(-1).unsqueeze(-1).chunk(2, dim=1)
        return self.conv(image) * gain + bias


class Tokens(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(10, 16)
        self.conv = nn.Conv1d(16, 8, 3)

    def forward(self, tokens):
        left, right = self.conv(self.embed(tokens).transpose(1, 2)).chunk(2, dim=2)  # hit
        return left, right


class Gated(nn.Module):
    """The last axis is a setting's, whatever is worked out of what goes into the view."""

    def __init__(self, wide, pairs):
        super().__init__()
        self.wide = wide
        self.full = nn.Linear(2 * wide + pairs, 2 * wide)
        self.norm = nn.BatchNorm1d(2 * wide)

    def forward(self, atoms, bonds, index):
        n, m = index.shape
        near = atoms[index, :]
        whole = torch.cat([atoms.unsqueeze(1).expand(n, m, self.wide), near, bonds], dim=2)
        gated = self.norm(self.full(whole).view(-1, self.wide * 2)).view(n, m, self.wide * 2)
        gate, core = gated.chunk(2, dim=2)
        return torch.sigmoid(gate) * core


class Crystal(nn.Module):
    def __init__(self, settings):
        super().__init__()
        self.first = Gated(settings.pop(), settings.pop())

    def forward(self, atoms, bonds, index):
        return self.first(atoms, bonds, index)


class Pieces(nn.Module):
    def __init__(self, wide, part=64):
        super().__init__()
        self.full, self.part = nn.Linear(wide, wide), part
        self.conv = nn.Conv2d(3, 8, 1)

    def forward(self, x, image):
        y = self.conv(image)
        first = y.split(8, dim=3)[0]  # hit
        both = torch.stack(y.split(4, dim=1))
        top, bottom = image.split(16, dim=2)
        parts = [each * 2 for each in torch.split(y, self.part, dim=2)]  # hit
        return first, both, top - bottom, torch.cat(parts, 2)


class Buckets(nn.Module):
    def __init__(self, wide, bucket):
        super().__init__()
        self.project, self.bucket = nn.Linear(wide, wide), bucket

    def forward(self, x):
        b, n, d = x.shape
        y = self.project(x)
        pieces = [each * 2 for each in y.split(self.bucket, dim=1)]  # hit
        heads = torch.stack(y.split(self.bucket, dim=2))
        thirds = torch.tensor_split(y, 3, dim=1)  # hit
        wide = torch.tensor_split(y, 3, dim=2)
        return torch.cat(pieces, 1), heads, thirds, wide


class Attended(nn.Module):
    def forward(self, q, k):
        weights = [part @ k.transpose(-1, -2) for part in q.split(512, dim=-2)]  # hit
        first = q.split(512, dim=-2)[0]
        head, rest = k.split(16, dim=-2)
        return torch.cat(weights, -2), first, head, rest


class Styled(nn.Module):
    def __init__(self, wide, style):
        super().__init__()
        self.norm, self.project = nn.InstanceNorm1d(wide), nn.Linear(style, 2 * wide)

    def forward(self, x, s):
        h = self.project(s)
        h = h.view(h.size(0), h.size(1), 1)
        gain, shift = torch.chunk(h, 2, dim=1)
        return (1 + gain) * self.norm(x) + shift


class OverParts(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)

    def forward(self, image):
        parts = torch.split(self.conv(image), 1, dim=0)
        given = []
        for part in parts:
            given.append(part * 2)
        return torch.cat(given)
