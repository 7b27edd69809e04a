# profile: torch.export
import math

import torch
import torch.nn.functional as F
from torch import nn


def pad_to(x, multiple):
    height, width = x.shape[-2:]
    right, below = -width % multiple, (multiple - height % multiple) % multiple
    return F.pad(x, (0, right, 0, below)), height, width


def crop(x, height, width):
    return x[..., :height, :width]  # hit


def crop_like(x, other):
    return x[:, :, : other.size(2), : other.size(3)]  # hit


class Padded(nn.Module):
    def __init__(self, window=8):
        super().__init__()
        self.window = window

    def forward(self, x):
        padded, height, width = pad_to(x, self.window)
        return crop(padded * 2, height, width)


class Upward(nn.Module):
    def forward(self, x):
        height = x.shape[2]
        rows = (height + 7) // 8 * 8
        padded = F.pad(x, (0, 0, 0, rows - height))
        kept = slice(0, height)
        return padded[:, :, kept]  # hit


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.Conv2d(3, 8, 3, stride=2, padding=1)
        self.up = nn.ConvTranspose2d(8, 3, 2, stride=2)

    def forward(self, x):
        y = self.up(self.down(x))
        narrowed = y.narrow(2, 0, x.shape[2])  # hit
        return torch.cat([crop_like(y, x), x], 1), torch.narrow(y, 3, 0, x.shape[3]), narrowed  # hit


class Chunks(nn.Module):
    def forward(self, x):
        batch, length, width = x.shape
        padded = F.pad(x, (0, 0, 0, -length % 16))
        chunks = padded.view(batch, -1, 16, width).mean(3, keepdim=True).expand(-1, -1, -1, width)
        return chunks.reshape(batch, -1, width)[:, :length]  # hit


class Others(nn.Module):
    def __init__(self):
        super().__init__()
        self.pe = nn.Parameter(torch.zeros(1, 500, 8))

    def forward(self, x):
        length = x.shape[1]
        position = self.pe[:, :length]
        more = F.pad(x, (0, 0, 0, 3))[:, :length]
        always = F.pad(x, (0, 0, 0, 8 - length % 8))[:, :length]
        half = x[:, : length // 2]
        heads = x[:, :, :4]
        shifted = F.pad(x, (0, 0, 1, 0))[:, :-1]
        batch = F.pad(x, (0, 0, 0, 0, 0, -x.shape[0] % 4))[: x.shape[0]]
        negative = F.pad(F.pad(x, (0, 0, 0, -length % 8)), (0, 0, 0, -(-length % 8)))
        return position, more, always, half, heads, shifted, batch, negative


class Loss(nn.Module):
    def forward(self, prediction, target):
        return F.mse_loss(prediction, target)


def letterbox(image):
    rows = math.ceil(image.shape[0] / 32) * 32
    return image[:rows]


class Patches(nn.Module):
    """One token in front of those of patches, of which images have some."""

    def __init__(self):
        super().__init__()
        self.patch = nn.Conv2d(3, 8, 64, stride=64)
        self.token = nn.Parameter(torch.zeros(1, 1, 8))

    def forward(self, image):
        patches = self.patch(image).flatten(2).mT
        tokens = torch.cat([self.token.expand(len(image), -1, -1), patches], 1)
        return tokens[:, :1], tokens[:, 1:]
