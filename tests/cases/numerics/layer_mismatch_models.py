import argparse
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from einops import rearrange
from torch import nn


@dataclass
class Settings:
    width: int = 32
    heads: int = 4


class Mixer(nn.Module):
    def __init__(self, config: Settings):
        super().__init__()
        self.project = nn.Linear(config.width, 3 * config.width)
        self.narrow = nn.Linear(config.width + 1, config.width)  # hit
        self.pick = nn.GroupNorm(5, config.width)  # hit

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = self.project(x).chunk(3, dim=-1)
        return self.narrow(q)


class Stack(nn.Module):
    def __init__(self, dim, depth):
        super().__init__()
        self.blocks = nn.ModuleList()
        for _ in range(depth):
            self.blocks.append(nn.ModuleList([nn.LayerNorm(dim), nn.Linear(dim + 1, dim)]))  # hit

    def forward(self, x):
        b, n, c = x.shape
        for norm, mix in self.blocks:
            x = x + mix(norm(x))
        return x


class Halved(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.near = nn.Conv2d(channels, 8, 3, padding=1)
        self.far = nn.Conv2d(channels, 8, 3, stride=2, padding=1)

    def forward(self, x):
        return torch.cat([self.near(x), self.far(x)], 1)  # hit


class Pyramid(nn.Module):
    """What is one too small at each size of an image, but for the smallest."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 4, stride=2, padding=1)
        self.down = nn.Conv2d(8, 8, 4, stride=1, padding=1)
        self.up = nn.ConvTranspose2d(8, 8, 4, stride=2, padding=1)
        self.mix = nn.utils.spectral_norm(nn.Conv2d(12, 4, 1))  # hit

    def forward(self, image, other):
        x = self.stem(image)
        y = foreign(x)
        self.mix(torch.cat([self.stem(other[:, :3] * 2), self.mix(y)], 1))
        self.mix(torch.cat([self.mix(y), self.mix(y)], 1))
        z = rearrange(x, "b c h w -> b (h w) c")
        rearrange(z, "b (k c) n -> b k c n", k=2)
        rearrange(z, "b (h w) (k c) -> b k h w c", k=3)  # hit
        if image != None:
            return torch.cat([x, self.up(self.down(x))], 1)  # hit
        return x


class Kept(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        return x * weight.view(1, 7, 1, 1)  # hit

    @staticmethod
    def backward(ctx, grad):
        return grad, None


class Scaled(nn.Module):
    def __init__(self, args=None):
        super().__init__()
        self.first = nn.Conv2d(3, args.width, 3)
        self.norm = nn.BatchNorm2d(args.width + 1)  # hit
        self.weight = nn.Parameter(torch.ones(9))

    def forward(self, x):
        return Kept.apply(self.norm(self.first(x)), self.weight)


class Turned(nn.Module):
    """A list that is filled deeper than is followed, and a container that others fill."""

    def __init__(self):
        super().__init__()
        self.out = nn.Conv2d(6, 1, 1)
        self.side = nn.Conv2d(3, 1, 1)

    def forward(self, x):
        maps = []

        def descend(x, left):
            maps.append(self.side(x))
            if left:
                descend(x, left - 1)

        descend(x, 5)
        return self.out(torch.cat(maps, 1))


class Ensemble(nn.ModuleList):
    def forward(self, x):
        return torch.cat([each(x) for each in self], 1)


class Windows(nn.Module):
    """Views that do not hold as many elements as there are, whatever these are."""

    def __init__(self, size=64):
        super().__init__()
        self.size = size
        self.norm = nn.LayerNorm(48)
        self.qkv = nn.Linear(48, 3 * 48 + 1)

    def forward(self, x):
        b, c, h, w = x.shape
        x = F.pad(x, (0, -w % 8, 0, -h % 8))
        x = x.view(b, c, x.shape[2] // 8, 8, x.shape[3] // 8, 8)
        x = x.permute(0, 2, 4, 3, 5, 1).reshape(-1, 64, 48)
        if x.shape[0] == self.size:
            return self.qkv(x).view(x.shape[0], 64, 3, 48)  # hit
        y = x.view(x.shape[0] // 759, 759, 64, 48)
        return x.view(x.shape[0] + 1, 64, 48), y  # hit


class Digits(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.conv = nn.Conv2d(1, 10, 5)
        self.fc = nn.Linear(12 * 12 * 10, hidden)
        self.out = nn.Linear(64, 10)  # hit

    def forward(self, x):
        x = F.max_pool2d(self.conv(x), 2).flatten(1)
        return self.out(self.fc(x))


class Words(nn.Module):
    """How many axes its input has is not known: nothing is said that hangs on it."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(100, 16)
        self.fc = nn.Linear(16, 4)

    def forward(self, x):
        return torch.cat([self.embed(x).mean(1), torch.zeros(2, 7, 16)], -1)


class Head(nn.Module):
    def __init__(self, anchors=()):
        super().__init__()
        self.levels = len(anchors)

    def forward(self, x):
        return torch.cat([x[i].flatten(1) for i in range(self.levels)], 1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hidden", type=int, default=48)
    args = parser.parse_args()
    model = Digits(args.hidden)
    print(model(torch.randn(2, 1, 28, 28)))


if __name__ == "__main__":
    main()


class OfAnyRank(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(8, 17),
            nn.ReLU(),
            nn.Dropout(0.1),
            nn.Linear(16, 4),  # hit
        )
        self.first = nn.Linear(8, 8)
        self.last = nn.Linear(12, 2)  # hit

    def forward(self, x):
        return self.layers(x), self.last(F.gelu(self.first(x)))


def inflate(norm):
    norm._check_input_dim = nn.BatchNorm3d(norm.num_features)._check_input_dim
    return norm


class Inflated(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv3d(3, 8, 3)
        self.norm = inflate(nn.BatchNorm2d(8))
        self.other = nn.BatchNorm2d(8)  # hit

    def forward(self, x):
        x = self.norm(self.conv(x))
        return self.other(self.conv(x[:, :3]))


class Frames(nn.Module):
    """Of the third size alone it is not known how many axes there are."""

    def __init__(self, opt):
        super().__init__()
        self.size = opt.frame_size
        self.embed = nn.Linear(opt.frame_size, opt.hidden)
        self.lstm = nn.LSTM(opt.hidden, opt.hidden, batch_first=True, bidirectional=True)

    def forward(self, frames):
        assert self.size + 2 == frames.size(2)
        kept = frames[:, :, : self.size].contiguous()
        return self.lstm(self.embed(kept))[0]
